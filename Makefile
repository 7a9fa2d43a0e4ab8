# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Casper developers
#
# The front door. Each goal does its own set-up; CMake does the building.
PREFIX ?= /usr/local
SETUP = @tools/setup/setup.sh
DRIVER = python3 tests/support/driver.py
# Which builds: with MPICC=wrapper for that MPI library, called MPI_NAME, otherwise for the private MPICH; and the one
# for every library with the standard ABI.
MPI_NAME ?= native
BUILDS = $(if $(MPICC),$(MPI_NAME)=$(MPICC) abi,m50 abi)
NAMES = $(if $(MPICC),$(MPI_NAME) abi,m50 abi)
# cmake --install puts DESTDIR before the prefix.
export MPICC DESTDIR

.PHONY: all demo test test-full bench bench-adapt bench-p2p lint format install clean distclean help

all:
	$(SETUP) build
	@tools/setup/build.sh $(BUILDS)
	@echo "Built: $(NAMES:%=build/%/libcasper.so). Next: bin/casper run -n 4 ./your_program"

demo:
	$(SETUP) build
	@tools/setup/build.sh m50 abi
	@python3 bench/demo.py $(ARGS)

test:
	$(SETUP) test
	@$(DRIVER) --quick $(ARGS)

test-full:
	$(SETUP) test
	@$(DRIVER) --full $(ARGS)

bench bench-adapt bench-p2p:
	$(SETUP) test
	@tools/setup/build.sh -k m50 abi m40 o41 o50
	@python3 bench/$(if $(filter bench,$@),run,$(@:bench-%=%)).py $(ARGS)
	@python3 bench/plot.py

lint:
	$(SETUP) lint
	@tools/setup/build.sh --configure -t m50-lint unit-lint
	@build/env/lint/bin/python tools/lint.py $(ARGS)

format:
	$(SETUP) lint
	@build/env/lint/bin/python tools/lint.py --fix

install: all
	@for b in $(NAMES); do cmake --install build/$$b --prefix "$(PREFIX)" || exit 1; done

clean:
	rm -rf $(filter-out build/env,$(wildcard build/*))

distclean:
	rm -rf build

help:
	@echo "make            build libcasper for the default MPI (MPICC=wrapper: for that one;"
	@echo "                MPI_NAME=name: one of several such builds)"
	@echo "make demo       build, then show the progress gap with and without ghosts"
	@echo "make test       tests on every MPI library that is here (about half an hour on two cores)"
	@echo "make test-full  the whole matrix: libraries x ghosts x nodes"
	@echo "make bench      benchmarks, results and plots in build/results"
	@echo "make bench-adapt  redirection on, off and adaptive, in adapt.json (an hour for each MPI library)"
	@echo "make bench-p2p  sends and receives, carried by ghosts or not, in p2p.json"
	@echo "make lint       format, static checks, spelling (make format: repair the format)"
	@echo "make install    to PREFIX ($(PREFIX)); DESTDIR is honoured"
	@echo "make clean      remove what was built (distclean: the private environments too)"
	@echo "ARGS='...' is handed to the demo, test, bench and lint programs."
