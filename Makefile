# What a developer runs. `make` alone explains itself; scripts/ holds what takes more than a line.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

# The race detector needs a C compiler; without one the tests run all the same. SQLite is C that was translated and keeps its
# memory where the detector does not look: with it, it would only be nine times as slow. Its driver, which is Go, is looked at. What
# writes PDFs, packs them, and reads bar codes back from them, does so alone, and pictures are decoded one at a time.
UNWATCHED := modernc.org/sqlite/lib modernc.org/libc modernc.org/memory codeberg.org/go-pdf/fpdf compress/flate github.com/makiuchi-d/gozxing/... image/... golang.org/x/image/...
RACE := $(if $(filter 1,$(shell go env CGO_ENABLED)),-race $(patsubst %,-gcflags=%=-race=false,$(UNWATCHED)))
TOOL := go tool -modfile=tools/go.mod

# One package more than there are cores is tested at a time: many tests wait for a database, a lease or a browser.
AT_ONCE := $(shell cores=$$(nproc 2>/dev/null || echo 2); echo $$((cores + 1)))

# The race detector watches the rooms where many do something at once. Whole programs and browsers take several times as long with it, as does the desk, which
# leaves that to the rooms below it; they are tested without. `make race` has it watch everything.
WATCHED := ./internal/lost ./internal/store/... ./internal/outbox ./internal/webhook ./internal/media ./internal/web/api/...

# These take longest, and begin first. What is killed and timed comes last, when nothing else runs; most of it waits, so that more of it runs at a time than there are cores.
LONGEST := ./internal/web/staff ./internal/app
LAST    := ./cmd/homeward

ARGS     ?=
TESTARGS ?=

.PHONY: help
help: ## Show this
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-11s  %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: run
run: ## Start the service on 127.0.0.1:8080, data in ./homeward-data (ARGS='--listen …')
	go run ./cmd/homeward serve $(ARGS)

.PHONY: build
build: ## Build bin/homeward: one static file (VERSION=… names it)
	CGO_ENABLED=0 go build -trimpath -ldflags '-X homeward/internal/app.stamped=$(VERSION)' -o bin/homeward ./cmd/homeward

VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null)

.PHONY: up
up: ## Start three copies with PostgreSQL, S3 and a load balancer in containers (needs Docker with compose)
	scripts/compose-secrets
	VERSION=$(or $(VERSION),local) docker compose up --build --detach --wait

# The program as the image has it: alone in a folder that cannot be written, as another user. Some of it needs root.
.PHONY: test-image
test-image: build ## Test bin/homeward as the container image runs it: static, alone, read-only
	HOMEWARD_TEST_BINARY="$(CURDIR)/bin/homeward" go test -count=1 -v -run 'TestTheImage' ./cmd/homeward

# The servers start once for the tests and the fuzzing. Tests wait a lot, and the linter takes what they leave of the processors.
.PHONY: test
test: ## Everything that must pass: lint, vuln, the tests on both databases, fuzz
	@started=$$SECONDS; \
	findings=$$(mktemp); trap 'rm -f $$findings' EXIT; \
	nice -n 19 $(MAKE) --no-print-directory lint vuln >$$findings 2>&1 & linter=$$!; \
	scripts/with-services $(MAKE) --no-print-directory test-go test-memory fuzz || { kill $$linter; exit 1; }; \
	if ! wait $$linter; then cat $$findings; exit 1; fi; \
	cat $$findings; \
	echo "make test: passed in $$((SECONDS - started)) s"

.PHONY: test-go
test-go: ## Only the Go tests (TESTARGS='-run Name ./internal/store')
	@if [[ -z '$(RACE)' ]]; then echo 'test: no C compiler, so without the race detector'; fi
ifneq ($(TESTARGS),)
	scripts/with-services go test $(RACE) $(TESTARGS)
else
	scripts/with-services go test -p $(AT_ONCE) -timeout 20m $(LONGEST) $$(comm -23 <(go list ./... | sort) <(go list $(WATCHED) $(LONGEST) $(LAST) | sort))
	scripts/with-services go test $(RACE) -p $(AT_ONCE) -timeout 20m $(WATCHED)
	scripts/with-services go test -parallel $$((2 * $(AT_ONCE))) -timeout 20m $(LAST)
endif

.PHONY: race
race: ## All the Go tests with the race detector (half an hour)
	scripts/with-services go test $(RACE) -p $(AT_ONCE) -timeout 30m ./...

# The race detector multiplies memory, so what is bounded is measured without it: here by the cases that
# come nearest to the bound, and by all of them with MEMORY=EightLarge (two minutes).
MEMORY ?= EightLarge/^(12_MP_progressive|20_MP_progressive|50_MP_.*|12_MP_of_16_bits|24_MP_PNG)$$

.PHONY: test-memory
test-memory: ## Only what large uploads take in memory (MEMORY=EightLarge for every kind)
	go test -run '$(MEMORY)' ./internal/media

.PHONY: lint
lint: ## Check style, common faults and import directions
	$(TOOL) golangci-lint run ./...

.PHONY: vuln
vuln: ## Look for known vulnerabilities in what we depend on
	scripts/vuln

.PHONY: licences
licences: ## Write docs/develop/licences.md: what others wrote, and under which licences
	go run ./internal/cmd/licences

.PHONY: fuzz
fuzz: ## Fuzz every target briefly (FUZZ_TIME=10m to go on longer, FUZZ=Name for one)
	scripts/with-services scripts/fuzz

.PHONY: bench
bench: ## Measure the whole stack against a bare handler, on both databases (ARGS='…')
	HOMEWARD_SERVICES_DURABLE=1 scripts/with-services go run ./internal/cmd/bench $(ARGS)

.PHONY: capacity
capacity: ## Measure what records take and write the tables of docs/operate/scaling.md anew (ARGS='-finds 1000')
	scripts/with-services go run ./internal/cmd/capacity -measure -write docs/operate/scaling.md $(ARGS)

.PHONY: soak
soak: ## Load the service for an hour on both databases, and see that nothing grows (ARGS=10m for another length)
	HOMEWARD_TEST_SOAK=$(or $(ARGS),1h) scripts/with-services go test -count=1 -v -timeout 26h -run '^TestNothingGrowsUnderLoad$$' ./cmd/homeward

.PHONY: match-eval
match-eval: ## Judge matching by the labelled set: recall, MRR, what is called likely, what each ingredient adds (ARGS='-misses')
	go run ./internal/cmd/matcheval $(ARGS)

.PHONY: lighthouse
lighthouse: ## Score the demo's pages with Lighthouse, at least 95 each (needs npm and Chromium, and a quiet machine)
	scripts/lighthouse

.PHONY: screenshots
screenshots: ## Take the README's pictures of the demo anew, into docs/images (needs Chromium)
	HOMEWARD_README_PICTURES="$(CURDIR)/docs/images" go test -count=1 -run '^TestPicturesForTheReadme$$' ./internal/app

.PHONY: fmt
fmt: ## Format the code and sort the imports
	$(TOOL) golangci-lint fmt ./...

.PHONY: clean
clean: ## Remove what was built; data and caches stay
	rm -rf bin
