package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"homeward/internal/lost"
	"homeward/internal/store"
)

// The baseline handler is what remains of the service without API keys, checks, history, counts, messages and log: one
// prepared query per operation on the same tables and indexes, with the same durability. A row is encoded as JSON
// without reflection, straight from the bytes that the driver returns. Its responses are equal to the service's, for
// the items of this benchmark: it omits fields that only other items have, such as a claim.

// bareQuery identifies one of the prepared queries.
type bareQuery int

const (
	bareGet bareQuery = iota
	bareList
	bareSearch
	bareAdd
	bareMove
	bareAddImage
	bareToken // the characters that mark the location in the text index
	bareJobs  // a row if a job of the service is waiting or running
	bareDates // a row if the service has to store the ends of storage of items
	bareQueries
)

// writes reports whether a query changes the database.
func (q bareQuery) writes() bool { return q == bareAdd || q == bareMove || q == bareAddImage }

// bareDatabase runs the prepared queries. It calls each for every row, with the text of each column; NULL is nil. The
// text is valid only during the call.
type bareDatabase interface {
	run(ctx context.Context, q bareQuery, each func(row [][]byte), args ...any) error
	// searchArg returns the argument of bareSearch that finds a folded word.
	searchArg(token, word string) string
	close() error
}

func openBare(ctx context.Context, engine, setting string) (bareDatabase, error) {
	if engine == "postgres" {
		return openBareServer(ctx, setting)
	}
	return openBareFile(ctx, setting)
}

// bareServer is the baseline handler.
type bareServer struct {
	db      bareDatabase
	account string
	base    string // the beginning of file URLs
	files   *bareFiles
	tokens  sync.Map // from the id of a location to its token in the text index
}

// newBareServer returns a baseline handler that stores files in a folder.
func newBareServer(db bareDatabase, account, base, folder string) (*bareServer, error) {
	files, err := openBareFiles(filepath.Join(folder, "bare-files"))
	return &bareServer{db: db, account: account, base: base, files: files}, err
}

func (b *bareServer) handler() http.Handler {
	const items, one = "/v1/locations/{lid}/items", "/v1/locations/{lid}/items/{id}"
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", serveAlive)
	mux.HandleFunc("GET "+one, b.get)
	mux.HandleFunc("GET "+items, b.list)
	mux.HandleFunc("POST "+items, b.create)
	mux.HandleFunc("PUT "+one+"/update-status", b.move)
	mux.HandleFunc("POST "+one+"/upload-image", b.upload)
	return mux
}

// The values of constant headers. They are shared, so that no response allocates them.
var (
	jsonType = []string{"application/json"}
	textType = []string{"text/plain; charset=utf-8"}
	alive    = []byte("alive\n")
)

func serveAlive(w http.ResponseWriter, _ *http.Request) {
	w.Header()["Content-Type"] = textType
	_, _ = w.Write(alive)
}

// buffers holds the memory of finished responses and request bodies for the next ones.
var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

func takeBuffer() *bytes.Buffer {
	b := buffers.Get().(*bytes.Buffer)
	b.Reset()
	return b
}

func (b *bareServer) get(w http.ResponseWriter, r *http.Request) {
	b.one(w, r, http.StatusOK, bareGet, b.account, r.PathValue("lid"), r.PathValue("id"))
}

// one runs a query and responds with the item that it returns.
func (b *bareServer) one(w http.ResponseWriter, r *http.Request, status int, q bareQuery, args ...any) {
	out := takeBuffer()
	defer buffers.Put(out)
	err := b.db.run(r.Context(), q, func(row [][]byte) {
		out.Write(appendItem(out.AvailableBuffer(), row, b.base))
	}, args...)
	if err == nil && out.Len() == 0 {
		err = errNoItem
	}
	writeBare(w, status, out.Bytes(), err)
}

var errNoItem = errors.New("no such item")

func writeBare(w http.ResponseWriter, status int, body []byte, err error) {
	switch {
	case errors.Is(err, errNoItem):
		http.Error(w, err.Error(), http.StatusNotFound)
		return
	case err != nil:
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	h := w.Header()
	h["Content-Type"] = jsonType
	h["Content-Length"] = []string{strconv.Itoa(len(body))}
	w.WriteHeader(status)
	_, _ = w.Write(body)
}

// list responds with the newest items or, with a term, with the newest items that contain it.
func (b *bareServer) list(w http.ResponseWriter, r *http.Request) {
	location := r.PathValue("lid")
	q, args, limit := bareList, []any{b.account, location}, lost.MaxTotal
	if r.URL.RawQuery != "" {
		word := strings.TrimSpace(store.Fold(r.URL.Query().Get("term")))
		token, err := b.token(r.Context(), location)
		if err != nil {
			writeBare(w, 0, nil, err)
			return
		}
		q, args = bareSearch, append(args, b.db.searchArg(token, word), "%"+word+"%")
		limit = lost.MaxBoundedTotal
	}
	out := takeBuffer()
	defer buffers.Put(out)
	var total []byte
	out.WriteString(`{"data":[`)
	start := out.Len()
	err := b.db.run(r.Context(), q, func(row [][]byte) {
		if out.Len() > start {
			out.WriteByte(',')
		}
		total = append(total[:0], row[bareColumns]...)
		out.Write(appendItem(out.AvailableBuffer(), row, b.base))
	}, args...)
	count, _ := strconv.Atoi(string(total)) // 0 without rows
	out.Write(appendListEnd(out.AvailableBuffer(), count, limit))
	writeBare(w, http.StatusOK, out.Bytes(), err)
}

// token returns the characters that mark a location in the text index.
func (b *bareServer) token(ctx context.Context, location string) (string, error) {
	if known, ok := b.tokens.Load(location); ok {
		return known.(string), nil
	}
	var token string
	err := b.db.run(ctx, bareToken, func(row [][]byte) { token = string(row[0]) }, b.account, location)
	if err == nil && token != "" {
		b.tokens.Store(location, token)
	}
	return token, err
}

// create adds an item. The body is decoded with encoding/json, like in most programs.
func (b *bareServer) create(w http.ResponseWriter, r *http.Request) {
	location := r.PathValue("lid")
	var in bareInput
	err := readBare(r, &in)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	token, err := b.token(r.Context(), location)
	if err != nil {
		writeBare(w, 0, nil, err)
		return
	}
	b.one(w, r, http.StatusCreated, bareAdd, in.values(b.account, location, token, time.Now())...)
}

// move changes the status of an item.
func (b *bareServer) move(w http.ResponseWriter, r *http.Request) {
	var in struct {
		Status string `json:"status"`
	}
	if err := readBare(r, &in); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	b.one(w, r, http.StatusOK, bareMove, b.account, r.PathValue("lid"), r.PathValue("id"), in.Status,
		time.Now().UnixMicro())
}

func readBare(r *http.Request, v any) error {
	body := takeBuffer()
	defer buffers.Put(body)
	if _, err := body.ReadFrom(r.Body); err != nil {
		return err
	}
	return json.Unmarshal(body.Bytes(), v)
}

// bareInput is the body of a request to create an item.
type bareInput struct {
	Description    string `json:"description"`
	DiscoveryPlace string `json:"discoveryPlace"`
	DiscoveryDate  string `json:"discoveryDate"`
	Brand          string `json:"brand"`
	Model          string `json:"model"`
	Color          string `json:"color"`
	StoragePlace   string `json:"storagePlace"`
	Notes          string `json:"notes"`
	ImageURL       string `json:"imageUrl"`
	Shipping       struct {
		Weight     *float64 `json:"weight"`
		WeightUnit string   `json:"weightUnit"`
		BoxType    string   `json:"boxType"`
		IsDocument *bool    `json:"isDocument"`
	} `json:"shipping"`
	Owner struct {
		FirstName string `json:"firstName"`
		LastName  string `json:"lastName"`
		Email     string `json:"email"`
		Phone     string `json:"phone"`
	} `json:"owner"`
}

// values returns the arguments of bareAdd.
func (i *bareInput) values(account, location, token string, now time.Time) []any {
	// A longer reference than the service's: it does not have to try again if a reference is taken.
	reference := lost.NewReference() + "-" + lost.NewReference()
	var text strings.Builder
	text.WriteString(token)
	for _, field := range [...]string{
		i.Description, i.Brand, i.Model, i.Color, i.Owner.FirstName, i.Owner.LastName, i.Owner.Email, i.Owner.Phone,
		"", // the external id
		reference, strings.ReplaceAll(reference, "-", ""),
		"", "", "", "", // the serial number and the finder
		store.MoreFields + i.DiscoveryPlace, i.StoragePlace, i.Notes,
		"",             // why the item is held
		"", "", "", "", // the tracking number, the claimant's texts and the name at the handover
		"", // the category
	} {
		text.WriteByte('\n')
		more, isMore := strings.CutPrefix(field, store.MoreFields)
		if isMore {
			text.WriteString(store.MoreFields)
		}
		text.WriteString(store.Fold(more))
	}
	return []any{
		account, location, lost.NewID(lost.ItemID, now), reference, string(lost.Found), string(lost.Pending),
		i.Description, i.DiscoveryPlace, i.DiscoveryDate, i.Brand, i.Model, i.Color, i.StoragePlace, i.Notes,
		i.ImageURL, i.Shipping.Weight, i.Shipping.WeightUnit, i.Shipping.BoxType, i.Shipping.IsDocument,
		i.Owner.FirstName, i.Owner.LastName, i.Owner.Email, i.Owner.Phone, now.UnixMicro(), text.String(),
	}
}
