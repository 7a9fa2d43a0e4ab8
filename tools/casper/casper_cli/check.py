def run(args, env): return 0
