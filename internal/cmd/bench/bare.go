package main

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"homeward/internal/lost"
	v1 "homeward/internal/v1"
)

// The baseline handler is a minimal handler for the items table. It has one prepared query per operation on the same
// tables and indexes, and the same durability as the service, but no API keys, checks, history, counts or log.

const bareColumns = `id, location_id, reference, source, created_at,
	status, description, discovery_place, discovery_date, brand, model, color, storage_place, notes,
	image_url, weight, weight_unit, box_type, is_document, tracking_number,
	owner_first, owner_last, owner_email, owner_phone, pickup_date, pickup_time, updated_at`

const (
	bareGet  = "SELECT " + bareColumns + " FROM items WHERE account_id = $1 AND location_id = $2 AND id = $3"
	bareList = "SELECT " + bareColumns +
		" FROM items WHERE account_id = $1 AND location_id = $2 ORDER BY seq DESC LIMIT 10"
	bareAdd = "INSERT INTO items (" + bareColumns +
		`, account_id, search) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14,
		$15, $16, $17, $18, $19, $20, $21, $22, $23, $24, $25, $26, $27, $28, $29)`
)

// bareItem is an item with the fields that query results are scanned into.
type bareItem struct {
	v1.Item
	shipping         v1.Shipping
	owner            v1.Owner
	pickup           v1.Pickup
	created, updated int64
}

// fields returns the scan destinations for bareColumns.
func (i *bareItem) fields() []any {
	return []any{&i.ID, &i.LocationID, &i.Reference, &i.Source, &i.created,
		&i.Status, &i.Description, &i.DiscoveryPlace, &i.DiscoveryDate, &i.Brand, &i.Model, &i.Color, &i.StoragePlace,
		&i.Notes,
		&i.ImageURL, &i.shipping.Weight, &i.shipping.WeightUnit, &i.shipping.BoxType, &i.shipping.IsDocument,
		&i.shipping.TrackingNumber,
		&i.owner.FirstName, &i.owner.LastName, &i.owner.Email, &i.owner.Phone, &i.pickup.Date, &i.pickup.Time,
		&i.updated}
}

// toJSON returns the item in the form that is encoded as JSON.
func (i *bareItem) toJSON() v1.Item {
	i.Images = []v1.Image{}
	i.CreatedAt = time.UnixMicro(i.created).UTC().Format(v1.TimeForm)
	i.UpdatedAt = time.UnixMicro(i.updated).UTC().Format(v1.TimeForm)
	if s := i.shipping; s.WeightUnit+s.TrackingNumber != "" {
		i.Shipping = &i.shipping
	}
	if i.owner != (v1.Owner{}) {
		i.Owner = &i.owner
	}
	if i.pickup != (v1.Pickup{}) {
		i.Pickup = &i.pickup
	}
	return i.Item
}

// prepare sets the generated fields of a new item.
func (i *bareItem) prepare(location string) {
	now := time.Now()
	i.ID, i.LocationID, i.Reference = lost.NewID(lost.ItemID, now), location,
		lost.NewReference()+"-"+lost.NewReference()
	i.Source = string(lost.Found)
	i.Status = string(lost.Pending)
	i.created = now.UnixMicro()
	i.updated = now.UnixMicro()
	if i.Shipping != nil {
		i.shipping = *i.Shipping
	}
	if i.Owner != nil {
		i.owner = *i.Owner
	}
}

// values returns the values to insert: bareColumns, account_id and search.
func (i *bareItem) values(account string) []any {
	text := strings.ToLower(strings.Join([]string{i.Description, i.Brand, i.Model, i.Color, i.Reference,
		i.owner.FirstName, i.owner.LastName, i.owner.Email, i.owner.Phone}, "\n"))
	return []any{i.ID, i.LocationID, i.Reference, i.Source, i.created,
		i.Status, i.Description, i.DiscoveryPlace, i.DiscoveryDate, i.Brand, i.Model, i.Color, i.StoragePlace, i.Notes,
		i.ImageURL, i.shipping.Weight, i.shipping.WeightUnit, i.shipping.BoxType, i.shipping.IsDocument,
		i.shipping.TrackingNumber,
		i.owner.FirstName, i.owner.LastName, i.owner.Email, i.owner.Phone, i.pickup.Date, i.pickup.Time, i.updated,
		account, text}
}

// bareQueries holds the three prepared queries for a database.
type bareQueries interface {
	get(ctx context.Context, args ...any) (*bareItem, error)
	list(ctx context.Context, args ...any) ([]*bareItem, error)
	add(ctx context.Context, args ...any) error
	close() error
}

func openBare(ctx context.Context, engine, setting string) (bareQueries, error) {
	if engine == "postgres" {
		pool, err := pgxpool.New(ctx, setting) // prepares every statement once for each connection
		return &bareServer{pool}, err
	}
	return openBareFile(ctx, setting)
}

func bareHandler(q bareQueries, account string) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/locations/{lid}/items/{id}", func(w http.ResponseWriter, r *http.Request) {
		i, err := q.get(r.Context(), account, r.PathValue("lid"), r.PathValue("id"))
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		writeJSON(w, http.StatusOK, i.toJSON())
	})
	mux.HandleFunc("GET /v1/locations/{lid}/items", func(w http.ResponseWriter, r *http.Request) {
		items, err := q.list(r.Context(), account, r.PathValue("lid"))
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		page := v1.List[v1.Item]{Page: 1, Limit: len(items)}
		for _, i := range items {
			page.Data = append(page.Data, i.toJSON())
		}
		writeJSON(w, http.StatusOK, page)
	})
	mux.HandleFunc("POST /v1/locations/{lid}/items", func(w http.ResponseWriter, r *http.Request) {
		var i bareItem
		if err := json.NewDecoder(r.Body).Decode(&i.Item); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		i.prepare(r.PathValue("lid"))
		if err := q.add(r.Context(), i.values(account)...); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		writeJSON(w, http.StatusCreated, i.toJSON())
	})
	return mux
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	body, err := json.Marshal(v)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	_, _ = w.Write(body)
}

// bareFile is a SQLite database with one connection for writing, several for reading, and the same settings as the
// service.
type bareFile struct {
	readers, writer         *sql.DB
	getOne, getList, addOne *sql.Stmt
}

func openBareFile(ctx context.Context, file string) (_ *bareFile, err error) {
	dsn := "file:" + (&url.URL{Path: file}).EscapedPath() +
		"?_pragma=busy_timeout(5000)&_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)" +
		"&_pragma=foreign_keys(1)&_pragma=temp_store(MEMORY)"
	b := &bareFile{}
	if b.writer, err = sql.Open("sqlite", dsn); err != nil {
		return nil, err
	}
	if b.readers, err = sql.Open("sqlite", dsn+"&_pragma=query_only(1)"); err != nil {
		return nil, err
	}
	b.writer.SetMaxOpenConns(1)
	b.readers.SetMaxOpenConns(max(4, 2*runtime.NumCPU()))
	b.readers.SetMaxIdleConns(max(4, 2*runtime.NumCPU()))
	var errs [3]error
	b.getOne, errs[0] = b.readers.PrepareContext(ctx, bareGet)
	b.getList, errs[1] = b.readers.PrepareContext(ctx, bareList)
	b.addOne, errs[2] = b.writer.PrepareContext(ctx, bareAdd)
	return b, errors.Join(errs[:]...)
}

func (b *bareFile) close() error { return errors.Join(b.readers.Close(), b.writer.Close()) }

func (b *bareFile) get(ctx context.Context, args ...any) (*bareItem, error) {
	i := &bareItem{}
	return i, b.getOne.QueryRowContext(ctx, args...).Scan(i.fields()...)
}

func (b *bareFile) list(ctx context.Context, args ...any) (items []*bareItem, err error) {
	rows, err := b.getList.QueryContext(ctx, args...)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		i := &bareItem{}
		if err := rows.Scan(i.fields()...); err != nil {
			return nil, err
		}
		items = append(items, i)
	}
	return items, rows.Err()
}

func (b *bareFile) add(ctx context.Context, args ...any) error {
	_, err := b.addOne.ExecContext(ctx, args...)
	return err
}

// bareServer is a PostgreSQL database with a pgx connection pool.
type bareServer struct{ pool *pgxpool.Pool }

func (b *bareServer) close() error {
	b.pool.Close()
	return nil
}

func (b *bareServer) get(ctx context.Context, args ...any) (*bareItem, error) {
	i := &bareItem{}
	return i, b.pool.QueryRow(ctx, bareGet, args...).Scan(i.fields()...)
}

func (b *bareServer) list(ctx context.Context, args ...any) ([]*bareItem, error) {
	rows, err := b.pool.Query(ctx, bareList, args...)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (*bareItem, error) {
		i := &bareItem{}
		return i, row.Scan(i.fields()...)
	})
}

func (b *bareServer) add(ctx context.Context, args ...any) error {
	_, err := b.pool.Exec(ctx, bareAdd, args...)
	return err
}
