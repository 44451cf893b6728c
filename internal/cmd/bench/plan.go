package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"mime/multipart"
	"net/http"
	"strings"
	"time"

	"homeward/internal/lost"
)

// operation is an operation to measure.
type operation struct {
	name    string
	plan    func(*site) (plan, error)
	writes  bool    // whether it adds jobs, which are finished before the next turn
	once    bool    // whether it is measured only with the fewest items, because their number does not matter
	goal    float64 // the minimum ratio to the baseline handler; 0 if there is none
	flat    bool    // whether a request may take at most maxGrowth times as long with the most items
	clients int     // the number of connections
	// compared returns requests to the service itself, with which the operation is compared instead of with the
	// baseline handler; nil for most operations.
	compared func(*site) (plan, error)
}

const (
	sampled     = 4000 // number of items used by operations on single items
	connections = 16   // clients of most operations
	uploaders   = 8    // clients that upload photos
)

// operations returns the operations in the order in which they are measured. Writes come last.
func operations() []operation {
	return []operation{
		{name: "healthz", plan: only(alivePlan), once: true, goal: 0.80, clients: connections},
		{name: "get", plan: only(getPlan), goal: 0.75, flat: true, clients: connections},
		{name: "list", plan: only(listPlan("")), flat: true, clients: connections},
		{
			name: "list-cursor", plan: cursorPlan, compared: only(listPlan("")), goal: 1 / 1.3, flat: true,
			clients: connections,
		},
		{name: "search-common", plan: only(listPlan(commonTerm)), goal: 0.80, flat: true, clients: connections},
		{name: "search-rare", plan: only(listPlan(rareTerm)), goal: 1.50, flat: true, clients: connections},
		{name: "search-none", plan: only(listPlan(missingTerm)), goal: 0.80, flat: true, clients: connections},
		{name: "update-status", plan: only(movePlan), writes: true, clients: connections},
		{name: "create", plan: only(createPlan), writes: true, goal: 0.70, flat: true, clients: connections},
		{name: "create-one", plan: only(createPlan), writes: true, goal: 0.50, flat: true, clients: 1},
		{name: "mixed", plan: mixedPlan, writes: true, goal: 0.70, flat: true, clients: connections},
		{name: "upload", plan: uploadPlan, writes: true, once: true, goal: 0.40, clients: uploaders},
	}
}

func operationNames() []string {
	var names []string
	for _, op := range operations() {
		names = append(names, op.name)
	}
	return names
}

// allNames returns the names of all operations, including those that are measured differently.
func allNames() []string {
	return append(operationNames(), startName, webhooksName, pagesName, matchName, queriesName, reportsName, rulesName)
}

// only returns a plan with one kind of request.
func only(kind func(*site) requestKind) func(*site) (plan, error) {
	return func(s *site) (plan, error) { return plan{Kinds: []requestKind{kind(s)}, Order: []int{0}}, nil }
}

func alivePlan(*site) requestKind {
	return requestKind{Method: http.MethodGet, Targets: []string{"/healthz"}, Status: http.StatusOK}
}

func getPlan(s *site) requestKind {
	return requestKind{Method: http.MethodGet, Targets: s.sample(sampled, ""), Status: http.StatusOK}
}

// listPlan lists items or, with a term, searches for them.
func listPlan(term string) func(*site) requestKind {
	return func(s *site) requestKind {
		target := s.path()
		if term != "" {
			target += "?term=" + term
		}
		return requestKind{Method: http.MethodGet, Targets: []string{target}, Status: http.StatusOK}
	}
}

// cursorPlan reads a page in the middle of the list of items by cursor. With 200,000 items, it follows 100,000.
func cursorPlan(s *site) (plan, error) {
	const perPage = lost.MaxLimit
	address := fmt.Sprintf("http://%s%s?limit=%d&page=%d", s.full, s.path(), perPage, max(1, s.size/2/perPage))
	req, err := http.NewRequest(http.MethodGet, address, nil)
	if err != nil {
		return plan{}, err
	}
	req.Header.Set("svc-api-key", apiKey)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return plan{}, err
	}
	defer func() { _ = res.Body.Close() }()
	var page struct{ Next string }
	if err := json.NewDecoder(res.Body).Decode(&page); err != nil || page.Next == "" {
		return plan{}, fmt.Errorf("%s has no cursor: status %d, %w", address, res.StatusCode, err)
	}
	kind := requestKind{
		Method: http.MethodGet, Targets: []string{s.path() + "?cursor=" + page.Next}, Status: http.StatusOK,
	}
	return plan{Kinds: []requestKind{kind}, Order: []int{0}}, nil
}

func movePlan(s *site) requestKind {
	return requestKind{
		Method: http.MethodPut, Targets: s.sample(sampled, "/update-status"), Bodies: texts(moves()), Type: jsonBody,
		Status: http.StatusOK,
	}
}

// createPlan creates items with an owner, who is notified.
func createPlan(s *site) requestKind {
	return requestKind{
		Method: http.MethodPost, Targets: []string{s.path()}, Bodies: texts(newItems(true)), Type: jsonBody,
		Status: http.StatusCreated,
	}
}

const jsonBody = "application/json"

// mixture is the order of the kinds of requests in the mixed operation: 60 % get, 20 % list, 10 % search, 5 % create
// and 5 % move.
const mixture = "gglgsgglgcgglgsgglgm"

// mixedPlan returns requests of several kinds, in the order of mixture. Searches are for a common, a rare and a missing
// word in turn.
func mixedPlan(s *site) (p plan, err error) {
	search := requestKind{Method: http.MethodGet, Status: http.StatusOK}
	for _, term := range []string{commonTerm, rareTerm, missingTerm} {
		search.Targets = append(search.Targets, listPlan(term)(s).Targets...)
	}
	const letters = "glscm"
	p.Kinds = []requestKind{getPlan(s), listPlan("")(s), search, createPlan(s), movePlan(s)}
	for _, letter := range mixture {
		p.Order = append(p.Order, strings.IndexRune(letters, letter))
	}
	return p, nil
}

// uploadPlan uploads one photo to each item in turn.
func uploadPlan(s *site) (plan, error) {
	body, contentType, err := photoForm()
	return plan{
		Kinds: []requestKind{{
			Method: http.MethodPost, Targets: s.sample(sampled, "/upload-image"), Bodies: [][]byte{body},
			Type: contentType, Status: http.StatusOK,
		}},
		Order: []int{0},
	}, err
}

// The photo of the upload operation: 2 megapixels and about 300 kB.
const (
	photoWidth, photoHeight = 1632, 1224
	photoBytes              = 300_000
	photoNoise              = 20
)

// photoForm returns the body of an upload, and its content type.
func photoForm() (body []byte, contentType string, err error) {
	picture, err := photo(photoWidth, photoHeight, photoNoise, photoBytes)
	if err != nil {
		return nil, "", err
	}
	var form bytes.Buffer
	w := multipart.NewWriter(&form)
	part, err := w.CreateFormFile("image", "photo.jpg")
	if err != nil {
		return nil, "", err
	}
	_, _ = part.Write(picture)
	err = w.Close() // writes the end of the form
	return form.Bytes(), w.FormDataContentType(), err
}

func texts(all []string) [][]byte {
	out := make([][]byte, len(all))
	for n, text := range all {
		out[n] = []byte(text)
	}
	return out
}

func moves() []string {
	var bodies []string
	for _, s := range statuses() {
		bodies = append(bodies, fmt.Sprintf(`{"status":%q}`, s))
	}
	return bodies
}

// newItems returns request bodies that create items, with or without an owner. The items were found in the last days,
// so that no storage period is over.
func newItems(owned bool) []string {
	const count, days = 500, 7
	r := rand.New(rand.NewPCG(5, 6))
	today := time.Now()
	var bodies []string
	for len(bodies) < count {
		p := describe(r, false)
		if p.Owner.Sent != owned {
			continue
		}
		body := map[string]any{
			"description": p.Description.Value, "color": p.Color.Value, "brand": p.Brand.Value, "model": p.Model.Value,
			"discoveryPlace": p.DiscoveryPlace.Value, "storagePlace": p.StoragePlace.Value,
			"discoveryDate": today.AddDate(0, 0, -r.IntN(days)).Format(lost.DateLayout),
		}
		if owned {
			o := p.Owner.Value
			body["owner"] = map[string]any{
				"firstName": o.FirstName.Value, "lastName": o.LastName.Value, "email": o.Email.Value,
				"phone": o.Phone.Value,
			}
			body["shipping"] = map[string]any{
				"weight": p.Shipping.Value.Weight.Value, "weightUnit": "kg", "boxType": "shoe",
			}
		}
		text, _ := json.Marshal(body) // cannot fail, because all fields can be encoded
		bodies = append(bodies, string(text))
	}
	return bodies
}
