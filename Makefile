# Commands for developers. `make` alone lists them; longer scripts are in scripts/.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

# The race detector needs a C compiler; without one, the tests run without the detector. The packages below are not
# instrumented. SQLite is translated C code whose memory the detector cannot see, and instrumenting it would only make
# it nine times slower; its driver, which is Go, is instrumented. The code for PDF writing, compression, bar code
# reading and picture decoding uses one goroutine.
UNWATCHED := modernc.org/sqlite/lib modernc.org/libc modernc.org/memory codeberg.org/go-pdf/fpdf compress/flate github.com/makiuchi-d/gozxing/... image/... golang.org/x/image/...
RACE := $(if $(filter 1,$(shell go env CGO_ENABLED)),-race $(patsubst %,-gcflags=%=-race=false,$(UNWATCHED)))
TOOL := go tool -modfile=tools/go.mod

# The number of packages tested at a time: one more than there are cores, because many tests wait for a database, a
# lease or a browser.
AT_ONCE := $(shell cores=$$(nproc 2>/dev/null || echo 2); echo $$((cores + 1)))

# Packages with concurrent code are tested with the race detector. Tests of whole programs, browsers and the use cases
# (desk, identity, shipping, matching, privacy) and of copying databases would take several times as long with it, and
# the tests of lower-level packages cover the concurrency. `make race` uses the detector for everything.
WATCHED := ./internal/lost ./internal/store ./internal/outbox ./internal/webhook ./internal/media ./internal/web/api/...

# The linter includes go vet, so go test does not run it again.
#
# The packages that take longest start first, so that none of them runs alone at the end. Tests that kill processes and
# measure time run last, alongside the tests with the race detector. Most of them wait, so more of them run at a time
# than there are cores. The same applies to the tests of internal/app.
LONGEST := ./internal/app ./internal/store/transfer ./internal/web/staff/... ./internal/web/guest ./internal/desk ./internal/shipping ./internal/demo ./internal/cli ./internal/matching
LAST    := ./cmd/homeward

ARGS     ?=
TESTARGS ?=

.PHONY: help
help: ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-11s  %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: run
run: ## Start the service on 127.0.0.1:8080 with data in ./homeward-data (ARGS='--listen …')
	go run ./cmd/homeward serve $(ARGS)

.PHONY: build
build: ## Build bin/homeward, a single static file (VERSION=… sets the version)
	CGO_ENABLED=0 go build -trimpath -ldflags '-s -w -X homeward/internal/app.stamped=$(VERSION)' -o bin/homeward ./cmd/homeward

VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null)

.PHONY: up
up: ## Start three instances with PostgreSQL, S3 and a load balancer in containers (needs Docker Compose)
	scripts/compose-secrets
	VERSION=$(or $(VERSION),local) docker compose up --build --detach --wait

# Runs the program as in the image: alone in a read-only folder, as another user. Some of these tests need root.
.PHONY: test-image
test-image: build ## Test bin/homeward as the container image runs it: static and read-only
	HOMEWARD_TEST_BINARY="$(CURDIR)/bin/homeward" go test -count=1 -v -run 'TestTheImage' ./cmd/homeward

# The servers are started once for tests and fuzzing. Because tests often wait, the linter and the test of the Helm
# chart run at the same time with low priority.
.PHONY: test
test: ## Run everything that must pass: lint, vuln, tests on both databases, the Helm chart, fuzz
	@started=$$SECONDS; \
	findings=$$(mktemp); trap 'rm -f $$findings' EXIT; \
	nice -n 5 $(MAKE) --no-print-directory lint vuln test-helm >$$findings 2>&1 & linter=$$!; \
	scripts/with-services $(MAKE) --no-print-directory test-go THEN='test-memory fuzz' || { kill $$linter; exit 1; }; \
	if ! wait $$linter; then cat $$findings; exit 1; fi; \
	cat $$findings; \
	echo "make test: passed in $$((SECONDS - started)) s"

# The tests in cmd/homeward start, kill and measure programs; those of the pages and of whole programs use a browser.
# Memory limits have a target of their own. The linter runs at the same time with low priority, as in the target test.
CHECKED = $$(go list ./... | grep -Ev '/(cmd/homeward|internal/app|internal/web/(staff|guest|browsertest)(/.*)?|internal/cmd/.*)$$')

.PHONY: check
check: ## Run lint and the tests without browsers and kills, for the daily loop (under 3 minutes when warm)
	@started=$$SECONDS; \
	findings=$$(mktemp); trap 'rm -f $$findings' EXIT; \
	nice -n 5 $(MAKE) --no-print-directory lint test-helm >$$findings 2>&1 & linter=$$!; \
	scripts/with-services go test -p $(AT_ONCE) -timeout 10m -skip '^TestEightLarge' $(CHECKED) || { kill $$linter; exit 1; }; \
	if ! wait $$linter; then cat $$findings; exit 1; fi; \
	echo "make check: passed in $$((SECONDS - started)) s"

.PHONY: test-go
test-go: ## Run only the Go tests (TESTARGS='-run Name ./internal/store')
	@if [[ -z '$(RACE)' ]]; then echo 'test: no C compiler; running without the race detector'; fi
ifneq ($(TESTARGS),)
	scripts/with-services go test $(RACE) $(TESTARGS)
else
	scripts/with-services go test -vet=off -p $(AT_ONCE) -parallel $$(($(AT_ONCE) + 1)) -timeout 20m $(LONGEST) $$(comm -23 <(go list ./... | sort) <(go list $(WATCHED) $(LONGEST) $(LAST) | sort))
	scripts/with-services $(MAKE) --no-print-directory --output-sync --jobs 2 test-last test-watched $(THEN)
endif

# Further targets for test-go, which run as soon as test-watched or test-last has ended.
THEN ?=

.PHONY: test-watched test-last
test-watched:
	go test -vet=off $(RACE) -p 2 -timeout 20m $(WATCHED)
test-last:
	go test -vet=off -parallel $$((2 * $(AT_ONCE))) -timeout 20m $(LAST)

.PHONY: race
race: ## Run all Go tests with the race detector (takes half an hour)
	scripts/with-services go test $(RACE) -p $(AT_ONCE) -timeout 30m ./...

# The race detector multiplies memory use, so memory limits are tested without it. By default only the cases closest to
# the limit run; MEMORY=EightLarge runs all of them (takes two minutes).
MEMORY ?= EightLarge/^(12_MP_progressive|20_MP_progressive|50_MP_.*|12_MP_of_16_bits|24_MP_PNG)$$

.PHONY: test-memory
test-memory: ## Test the memory use of large uploads (MEMORY=EightLarge for every kind)
	go test -run '$(MEMORY)' ./internal/media

# Most of the time of a first build is for Kubernetes' generated types, and less without optimization. The go command does
# not notice changes of the chart, which is outside the module, so that its results are never cached.
.PHONY: test-helm
test-helm: ## Lint and render the Helm chart (deploy/helm) with Helm's own packages
	cd tools/helm && go test -count=1 -gcflags='k8s.io/...=-N -l' ./...

.PHONY: lint
lint: ## Check style, common mistakes and import directions
	$(TOOL) golangci-lint run ./...

.PHONY: vuln
vuln: ## Look for known vulnerabilities in the dependencies
	scripts/vuln

.PHONY: clients
clients: ## Generate the clients in clients/ from the OpenAPI document
	go run ./internal/cmd/clients

.PHONY: licences
licences: ## Write docs/develop/licences.md, the licences of the dependencies
	go run ./internal/cmd/licences

.PHONY: fuzz
fuzz: ## Fuzz every target briefly (FUZZ_TIME=10m for longer, FUZZ=Name for one)
	scripts/with-services scripts/fuzz

.PHONY: bench
bench: ## Compare the service with a baseline handler, on both databases (ARGS='-quick'; ARGS='-write docs/develop/performance.md')
	HOMEWARD_SERVICES_DURABLE=1 scripts/with-services go run ./internal/cmd/bench $(ARGS)

.PHONY: capacity
capacity: ## Measure record sizes and update the tables in docs/operate/scaling.md (ARGS='-finds 1000')
	scripts/with-services go run ./internal/cmd/capacity -measure -write docs/operate/scaling.md $(ARGS)

.PHONY: soak
soak: ## Run both databases under load for an hour and check for resource growth (ARGS=10m for another duration)
	HOMEWARD_TEST_SOAK=$(or $(ARGS),1h) scripts/with-services go test -count=1 -v -timeout 26h -run '^TestNothingGrowsUnderLoad$$' ./cmd/homeward

# Drills are tests named TestDrill…: real faults under load. Their short versions are part of make test.
DRILL ?= ^TestDrill

.PHONY: drill
drill: ## Run the long versions of the drills, such as an S3 outage of two minutes (DRILL=Name for one)
	HOMEWARD_TEST_LONG=1 scripts/with-services go test -count=1 -v -timeout 60m -run '$(DRILL)' ./cmd/homeward

.PHONY: match-eval
match-eval: ## Measure the quality of matching with the labelled and the held-back set (ARGS='-misses' lists mistakes)
	go run ./internal/cmd/matcheval $(ARGS)
	go run ./internal/cmd/matcheval -brief -set internal/lost/match/matchtest/heldback

.PHONY: lighthouse
lighthouse: ## Score the demo's pages with Lighthouse, 100 each (needs npm, Chromium and an idle machine)
	scripts/lighthouse

.PHONY: screenshots
screenshots: ## Retake the README's screenshots of the demo in docs/images (needs Chromium)
	HOMEWARD_README_PICTURES="$(CURDIR)/docs/images" go test -count=1 -run '^TestPicturesForTheReadme$$' ./internal/app

.PHONY: fmt
fmt: ## Format the code and sort imports
	$(TOOL) golangci-lint fmt ./...

.PHONY: clean
clean: ## Remove build output; data and caches stay
	rm -rf bin
