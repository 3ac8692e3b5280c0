# A thin front over the CMake presets; every target is a script in tools/. `make` says what there is.

PREFIX ?= /usr/local
DESTDIR ?=
ARGS ?=

.DEFAULT_GOAL := help
.PHONY: help demo demo-window game test test-full test-long test-night report bench bench-report budget check format amalgamate dist deb reference install clean

help: ## this list
	@awk -F ': ## ' '/^[a-z-]+: ## / { printf "make %-12s %s\n", $$1, $$2 }' Makefile

demo: ## a flock of 100,000 birds in the terminal; options go into ARGS="..."
	@tools/demo.sh $(ARGS)

demo-window: ## the same in a window
	@tools/demo.sh --window $(ARGS)

game: ## a small game in the terminal; ARGS="7" has other caves
	@tools/game.sh $(ARGS)

test: ## build, and run every suite in a small dose: two minutes on two cores
	@tools/test.sh

test-full: ## build, and run every suite, whole: seven minutes on two cores
	@tools/test-full.sh

test-long: ## sanitizers, valgrind, other machines, coverage, mutants, analysis: an hour or more
	@tools/test-long.sh

test-night: ## test-long, and whatever takes hours
	@tools/test-night.sh

report: ## what these found when they ran last, and whether all gates are met; into docs/report.md
	@tools/report.sh

bench: ## measure; options go into ARGS="..."
	@tools/bench.sh $(ARGS)

bench-report: ## measure everything and write docs/performance.md; ARGS="--quick" to try
	@tools/bench-report.sh $(ARGS)

budget: ## write down what the benchmark's cases cost in instructions; budgets only sink
	@tools/budget.sh

check: ## everything that reads the code without running it
	@tools/check.sh

format: ## lay out all code with clang-format 14
	@tools/format.sh

amalgamate: ## the library as two files, mica.h and mica.c, in build/amalgamated
	@tools/amalgamate.sh

dist: ## what a release has, in build/dist: a tarball of the sources, mica.h and mica.c, checksums
	@tools/dist.sh

deb: ## Debian packages of that, in build/deb
	@tools/deb.sh

reference: ## the reference of the headers, for a browser, in build/reference/html
	@tools/reference.sh

install: ## build and install under PREFIX (/usr/local), below DESTDIR if given
	@DESTDIR="$(DESTDIR)" tools/install.sh "$(PREFIX)"

clean: ## remove build/
	rm -rf build
