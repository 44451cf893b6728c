package store

import (
	"context"
	"time"

	"homeward/internal/lost"
)

const endpointColumns = `account_id, id, url, events, enabled, description, headers, secret, old_secrets,
	failing_since, failed_at, reason, created_at, updated_at, delivered_at, locations`

func (r reader) scanEndpoint(rs rows) (e lost.Endpoint, err error) {
	var events, headers, oldSecrets, locations string
	var failing, failed, created, updated, delivered int64
	err = rs.Scan(&e.Account, &e.ID, &e.URL, &events, &e.Enabled, &e.Description, &headers, &e.Secret, &oldSecrets,
		&failing, &failed, &e.Reason, &created, &updated, &delivered, &locations)
	if err != nil {
		return e, err
	}
	e.FailingSince = fromMicros(failing)
	e.FailedAt = fromMicros(failed)
	e.CreatedAt = fromMicros(created)
	e.UpdatedAt = fromMicros(updated)
	e.DeliveredAt = fromMicros(delivered)
	for _, text := range []*string{&e.Secret, &oldSecrets, &headers} {
		if *text, err = r.encrypter.decrypt(*text); err != nil {
			return e, err
		}
	}
	for _, part := range []struct {
		text string
		dst  any
	}{{events, &e.Events}, {headers, &e.Headers}, {oldSecrets, &e.OldSecrets}, {locations, &e.Locations}} {
		if err := readJSON("an endpoint", part.text, part.dst); err != nil {
			return e, err
		}
	}
	return e, nil
}

// Endpoint returns an account's endpoint by id, or a NotFound error.
func (r reader) Endpoint(ctx context.Context, account, id string) (lost.Endpoint, error) {
	return r.endpoint(ctx, account, id, "")
}

func (r reader) endpoint(ctx context.Context, account, id, lock string) (lost.Endpoint, error) {
	rs, err := r.h.Query(ctx, "SELECT "+endpointColumns+" FROM endpoints AS e WHERE account_id = $1 AND id = $2"+lock,
		account, id)
	return requireRow("webhook", rs, err, r.scanEndpoint)
}

// LockEndpoint returns an endpoint and locks it until the transaction ends.
func (tx *Tx) LockEndpoint(account, id string) (lost.Endpoint, error) {
	e, err := tx.endpoint(tx.ctx, account, id, tx.d.lock("e"))
	if err == nil {
		tx.advanceNow(e.UpdatedAt)
	}
	return e, err
}

// Endpoints lists all endpoints of an account, oldest first. An account has at most
// lost.MaxEndpoints endpoints.
func (r reader) Endpoints(ctx context.Context, account string) ([]lost.Endpoint, error) {
	rs, err := r.h.Query(ctx, "SELECT "+endpointColumns+" FROM endpoints WHERE account_id = $1 ORDER BY id LIMIT $2",
		account, lost.MaxEndpoints+1)
	return collect(rs, err, r.scanEndpoint)
}

// endpointValues returns the values of all columns except created_at and delivered_at.
func (tx *Tx) endpointValues(e lost.Endpoint) ([]any, error) {
	var headers, oldSecrets string
	if len(e.Headers) > 0 {
		headers = toJSON(e.Headers)
	}
	if len(e.OldSecrets) > 0 {
		oldSecrets = toJSON(e.OldSecrets)
	}
	encrypted := [3]string{}
	for i, plain := range []string{headers, e.Secret, oldSecrets} {
		var err error
		if encrypted[i], err = tx.encrypter.encrypt(plain); err != nil {
			return nil, err
		}
	}
	events := ""
	if e.Events != nil {
		events = toJSON(e.Events)
	}
	return []any{e.Account, e.ID, e.URL, events, e.Enabled, e.Description, encrypted[0], encrypted[1], encrypted[2],
		micros(e.FailingSince), micros(e.FailedAt), e.Reason, micros(e.UpdatedAt), writeStrings(e.Locations)}, nil
}

// InsertEndpoint adds an endpoint.
func (tx *Tx) InsertEndpoint(e lost.Endpoint) error {
	values, err := tx.endpointValues(e)
	if err != nil {
		return err
	}
	return tx.queue(`INSERT INTO endpoints (account_id, id, url, events, enabled, description, headers, secret,
			old_secrets,
		failing_since, failed_at, reason, updated_at, locations, created_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)`,
		append(values, micros(e.CreatedAt))...)
}

// SaveEndpoint saves the mutable fields of an endpoint.
func (tx *Tx) SaveEndpoint(e lost.Endpoint) error {
	values, err := tx.endpointValues(e)
	if err != nil {
		return err
	}
	return tx.queue(`UPDATE endpoints SET url = $3, events = $4, enabled = $5, description = $6, headers = $7,
			secret = $8, old_secrets = $9,
		failing_since = $10, failed_at = $11, reason = $12, updated_at = $13, locations = $14
		WHERE account_id = $1 AND id = $2`,
		values...)
}

// DeleteEndpoint deletes an endpoint. The caller must cancel its deliveries.
func (tx *Tx) DeleteEndpoint(account, id string) error {
	return tx.queue("DELETE FROM endpoints WHERE account_id = $1 AND id = $2", account, id)
}

// CountSubscribed counts the endpoints that receive events of a type at a location.
func (r reader) CountSubscribed(ctx context.Context, account string, t lost.EventType, location string) (int, error) {
	rs, err := r.h.Query(ctx, "SELECT count(*) FROM endpoints n WHERE n.account_id = $1 AND "+
		subscribed("CAST($2 AS TEXT)", "CAST($3 AS TEXT)"), account, string(t), location)
	n, _, err := firstValue[int](rs, err)
	return n, err
}

// RecordEndpointFailure records a failed attempt to deliver to an endpoint.
func (tx *Tx) RecordEndpointFailure(account, id string) error {
	return tx.queue("UPDATE endpoints SET failed_at = $3, failing_since = CASE WHEN failing_since = 0 THEN $3 ELSE "+
		"failing_since END WHERE account_id = $1 AND id = $2",
		account, id, micros(tx.now))
}

// RecordEndpointSuccess records a successful delivery to an endpoint and ends its series of
// failures. It updates the time at most once a minute, because a busy endpoint has many deliveries.
func (tx *Tx) RecordEndpointSuccess(account, id string) error {
	return tx.queue("UPDATE endpoints SET failing_since = 0, delivered_at = $3 WHERE account_id = $1 AND id = $2 AND "+
		"(failing_since > 0 OR delivered_at < $4)",
		account, id, micros(tx.now), micros(tx.now.Add(-time.Minute)))
}

// FailingEndpoints lists enabled endpoints to which every delivery has failed for at least the
// duration over. It works across all accounts; only background jobs use it.
func (r reader) FailingEndpoints(ctx context.Context, over time.Duration, limit int) ([]lost.Endpoint, error) {
	rs, err := r.h.Query(withScope(ctx, BackgroundScope),
		"SELECT "+endpointColumns+
			" FROM endpoints WHERE failing_since > 0 AND failed_at - failing_since >= $1 AND enabled ORDER BY "+
			"failing_since LIMIT $2",
		over.Microseconds(), limit)
	return collect(rs, err, r.scanEndpoint)
}
