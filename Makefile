# A thin front over the CMake presets: every target here is one or two cmake calls.
# `make help` lists the targets. Needs Debian 12 (or a relative with apt); whatever is missing is
# installed first, as root or through sudo. `make PACKAGES= TARGET` skips that.

PRESETS  := dev asan tsan release cuda tidy
PACKAGES := g++ cmake ninja-build catch2 libcli11-dev libfmt-dev libsimdjson-dev rapidjson-dev \
            libboost-graph-dev libeigen3-dev libexpat1-dev libbenchmark-dev
ARGS     ?= --topology dgx8x64.json --model bert
PREFIX   ?= /usr/local
JOBS     ?= $(shell nproc)
SOURCES   = git ls-files '*.h' '*.cpp' '*.cu'

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

##@ The two to begin with
run: build/release/build.ninja ## Build dsim, then simulate a step of BERT on 64 DGX H100 (other: make run ARGS="...")
	cmake --build --preset release --target dsim
	@build/release/bin/dsim $(ARGS)

test: asan release ## Build and run every test: with sanitizers, then optimised
	ctest --preset asan -j $(JOBS)
	ctest --preset release -j $(JOBS)

##@ Builds, each in build/<preset>
build: release ## The same as release

release: build/release/build.ninja ## Optimised
	cmake --build --preset release

dev: build/dev/build.ninja ## Debug
	cmake --build --preset dev

asan: build/asan/build.ninja ## Debug with AddressSanitizer and UndefinedBehaviorSanitizer
	cmake --build --preset asan

tsan: build/tsan/build.ninja ## With ThreadSanitizer; runs the tests too
	cmake --build --preset tsan
	ctest --preset tsan -j $(JOBS)

cuda: build/cuda/build.ninja ## Optimised, with dsim-calibrate (needs nvcc)
	cmake --build --preset cuda

install: release ## Install dsim and its data under PREFIX (default /usr/local)
	cmake --install build/release --prefix $(PREFIX)

##@ Checks and upkeep
bench: release ## Run the benchmarks (needs a quiet machine to mean anything)
	@build/release/bin/dsim_bench $(BENCH_ARGS)

tidy: packages-clang-tidy build/tidy/build.ninja ## Compile under clang-tidy
	cmake --build --preset tidy

format: packages-clang-format ## Format every source file in place
	$(SOURCES) | xargs clang-format -i

check-format: packages-clang-format ## Fail if a source file is not formatted
	$(SOURCES) | xargs clang-format --dry-run --Werror

goldens: release ## Rewrite what golden tests and examples expect; read the difference
	cmake --build --preset release --target update-goldens

clean: ## Remove everything built
	rm -rf build

help: ## This list
	@awk 'BEGIN {FS = ":.*## "} /^##@/ {printf "\n%s\n", substr($$0, 5)} \
	  /^[a-z-]+:.*## / {printf "  make %-14s %s\n", $$1, $$2}' $(firstword $(MAKEFILE_LIST))

# Configured once; afterwards ninja itself notices changed CMake files and new sources.
$(PRESETS:%=build/%/build.ninja): build/%/build.ninja: CMakePresets.json | packages
	cmake --preset $*
	@touch $@

# Installs what dpkg does not know as installed; asking dpkg takes some 20 ms.
define install_packages
	@[ -n "$(strip $(1))" ] || exit 0; \
	have=" $$(dpkg-query -W -f '$${db:Status-Status}:$${Package} ' $(1) 2>/dev/null)"; \
	missing=; for package in $(1); do \
	  case "$$have" in *" installed:$$package "*) ;; *) missing="$$missing $$package";; esac; \
	done; \
	[ -n "$$missing" ] || exit 0; \
	if [ "$$(id -u)" = 0 ]; then as_root=; \
	elif command -v sudo >/dev/null; then as_root=sudo; \
	else echo "Missing:$$missing"; echo "As root: apt-get update && apt-get install -y$$missing"; exit 1; fi; \
	echo "Installing:$$missing"; \
	$$as_root apt-get -qq update || echo "apt-get update failed; going on with the package lists at hand"; \
	$$as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=300 \
	  -o Dpkg::Use-Pty=0 install -y --no-install-recommends $$missing
endef

packages:
	$(call install_packages,$(PACKAGES))

packages-%:
	$(call install_packages,$*)

.PHONY: run test build $(PRESETS) install bench format check-format goldens clean help packages
