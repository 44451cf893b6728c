package store

import (
	"context"
	"strconv"
	"time"

	"homeward/internal/lost"
)

const shipmentColumns = "account_id, id, location_id, item_id, state, detail, created_at, updated_at"

func scanShipment(rs rows) (s lost.Shipment, err error) {
	var account, id, location, item, state, detail string
	var created, updated int64
	if err = rs.Scan(&account, &id, &location, &item, &state, &detail, &created, &updated); err != nil {
		return s, err
	}
	err = readJSON("a shipment", detail, &s)
	s.Account = account
	s.ID = id
	s.LocationID = location
	s.ItemID = item
	s.State = lost.ShipmentState(state)
	s.CreatedAt, s.UpdatedAt = fromMicros(created), fromMicros(updated)
	return s, err
}

// Shipment returns an account's shipment by id, or a NotFound error.
func (r reader) Shipment(ctx context.Context, account, id string) (lost.Shipment, error) {
	return r.shipment(ctx, account, id, "")
}

func (r reader) shipment(ctx context.Context, account, id, lock string) (lost.Shipment, error) {
	rs, err := r.h.Query(ctx, "SELECT "+shipmentColumns+" FROM shipments AS s WHERE account_id = $1 AND id = $2"+lock,
		account, id)
	return requireRow("shipment", rs, err, scanShipment)
}

// ShipmentsByID lists an account's shipments with the given ids, sorted by id.
func (r reader) ShipmentsByID(ctx context.Context, account string, ids []string) ([]lost.Shipment, error) {
	return rowsByID(ctx, r, shipmentColumns, "shipments", account, ids, scanShipment)
}

// LockShipment returns a shipment and locks it until the transaction ends. A transaction that also
// needs the item must lock the item first.
func (tx *Tx) LockShipment(account, id string) (lost.Shipment, error) {
	return tx.shipment(tx.ctx, account, id, tx.d.lock("s"))
}

// InsertShipment adds a shipment and the directory entry for callbacks from the payment provider.
func (tx *Tx) InsertShipment(s lost.Shipment) error {
	err := tx.queue("INSERT INTO shipments ("+shipmentColumns+", recorded_at) "+
		"VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $8)",
		s.Account, s.ID, s.LocationID, s.ItemID, string(s.State), toJSON(s), micros(s.CreatedAt), micros(s.UpdatedAt))
	if err != nil {
		return err
	}
	return tx.AddEntry(ShipmentEntry, DirectoryHash(s.ID), DirectoryEntry{Account: s.Account, Subject: s.ID})
}

// SaveShipment saves the mutable fields of a shipment, and records its payment and refund.
func (tx *Tx) SaveShipment(s lost.Shipment) error {
	if err := tx.recordPayments(s, tx.now); err != nil {
		return err
	}
	return tx.queue("UPDATE shipments SET state = $3, detail = $4, updated_at = $5, recorded_at = $5 "+
		"WHERE account_id = $1 AND id = $2",
		s.Account, s.ID, string(s.State), toJSON(s), micros(s.UpdatedAt))
}

// AddTracker adds the directory entry for the carrier's tracking id, unless the entry exists.
func (tx *Tx) AddTracker(s lost.Shipment) error {
	return tx.queue("INSERT INTO directory (kind, hash, account_id, subject) VALUES ($1, $2, $3, $4) ON CONFLICT "+
		"(kind, hash) DO NOTHING",
		string(TrackerEntry), DirectoryHash(s.Postage.Tracker), s.Account, s.ID)
}

// AssignInvoiceNumber assigns the account's next invoice number to a shipment. Test invoices are
// numbered separately. If another transaction has used the number in the meantime, the transaction
// is retried, so there are no gaps or duplicates.
func (tx *Tx) AssignInvoiceNumber(s lost.Shipment) (int64, error) {
	test := s.PayBy == lost.PayTest
	rs, err := tx.h.Query(tx.ctx, "SELECT COALESCE(MAX(number), 0) FROM invoices WHERE account_id = $1 AND test = $2",
		s.Account, test)
	last, _, err := firstValue[int64](rs, err)
	if err != nil {
		return 0, err
	}
	price := s.Quote.Price
	return last + 1,
		tx.queue("INSERT INTO invoices (account_id, test, number, shipment_id, amount, tax, currency, at) VALUES "+
			"($1, $2, $3, $4, $5, $6, $7, $8)",
			s.Account, test, last+1, s.ID, price.Total(), lost.TaxIn(price.Total(), s.TaxRate), price.Currency,
			micros(tx.now))
}

// DeleteShipments deletes the shipments of items that are about to be deleted, and returns the
// names of their documents. It closes open checkout pages. In case a guest pays on such a page
// anyway, the directory entry is kept and still refers to the account.
func (tx *Tx) DeleteShipments(account string, items []string) (files []string, err error) {
	if len(items) == 0 {
		return nil, nil
	}
	q := &query{}
	q.where("account_id = " + q.arg(account))
	whereIn(q, "item_id", items)
	rs, err := tx.h.Query(tx.ctx,
		"SELECT "+shipmentColumns+" FROM shipments AS s"+q.clause()+" ORDER BY id"+tx.d.lock("s"), q.args...)
	all, err := collect(rs, err, scanShipment)
	if err != nil {
		return nil, err
	}
	for _, s := range all {
		for _, d := range s.Documents {
			files = append(files, d.File)
		}
		if err := tx.recordPayments(s, s.UpdatedAt); err != nil {
			return nil, err
		}
		if err := tx.releaseShipment(s); err != nil {
			return nil, err
		}
	}
	return files, tx.deleteOf("shipments", "item_id", account, items)
}

// releaseShipment prepares the deletion of a shipment: it closes the checkout page, refunds
// payments and removes directory entries.
func (tx *Tx) releaseShipment(s lost.Shipment) error {
	e := DirectoryEntry{Account: s.Account, Subject: s.ID}
	if err := tx.RemoveEntry(TrackerEntry, e); err != nil {
		return err
	}
	if err := tx.AddCloseCheckoutJob(s.Account, s.Checkout); err != nil {
		return err
	}
	if err := tx.addRefundJobs(s); err != nil {
		return err
	}
	if s.Checkout.ID != "" {
		return nil
	}
	return tx.RemoveEntry(ShipmentEntry, e)
}

// addRefundJobs adds jobs for the pending refunds of a shipment that is about to be deleted.
func (tx *Tx) addRefundJobs(s lost.Shipment) error {
	owed := func(r lost.RefundState) bool { return r == lost.RefundWanted || r == lost.RefundFailed }
	if owed(s.Refund) {
		if err := tx.AddRefundJob(s.Account, s.PayBy, s.Reference); err != nil {
			return err
		}
	}
	for _, o := range s.Strays {
		if !owed(o.Refund) {
			continue
		}
		if err := tx.AddRefundJob(s.Account, o.By, o.Reference); err != nil {
			return err
		}
	}
	return nil
}

// AddRefundJob adds a job that refunds a payment for a deleted shipment.
func (tx *Tx) AddRefundJob(account string, by lost.PayBy, reference string) error {
	return tx.AddJob(account, JobRefundPayment, writeStrings([]string{string(by), reference}), tx.now)
}

// LockShipments locks and returns all shipments of an item, newest first. The caller must have
// locked the item.
func (tx *Tx) LockShipments(account, item string) ([]lost.Shipment, error) {
	rs, err := tx.h.Query(tx.ctx,
		"SELECT "+shipmentColumns+" FROM shipments AS s WHERE account_id = $1 AND item_id = $2 ORDER BY id DESC"+
			tx.d.lock("s"), account, item)
	return collect(rs, err, scanShipment)
}

// MaxUnsettled is the maximum number of items that UnsettledItems returns.
const MaxUnsettled = 1000

// UnsettledItems returns the status and parcel of a location's items that may have a paid parcel on its way, or a
// refund that is not done, and whether there are more. It finds them by their status, by their task, or by the job of
// their refund, so that it does not read the location's other items.
func (r reader) UnsettledItems(ctx context.Context, account, location string) (items []lost.Item, more bool,
	err error) {
	rs, err := r.h.Query(ctx, `WITH unsettled (id) AS (
			SELECT id FROM items WHERE account_id = $1 AND location_id = $2 AND source = 'found'
				AND status IN ('FEE PAID', 'SHIPPED') AND parcel LIKE '%"Paid":true%'
			UNION SELECT item_id FROM tasks WHERE account_id = $1 AND location_id = $2 AND kind = $3
			UNION SELECT s.item_id FROM jobs j JOIN shipments s ON s.account_id = j.account_id AND s.id = j.payload
				WHERE j.account_id = $1 AND j.kind = $4 AND j.state = 'due' AND s.location_id = $2)
		SELECT i.status, i.parcel FROM unsettled u JOIN items i ON i.account_id = $1 AND i.id = u.id`+
		limitClause(MaxUnsettled+1), account, location, string(lost.RefundTask), JobRefund)
	items, err = collect(rs, err, func(rs rows) (i lost.Item, err error) {
		var status, parcel string
		if err = rs.Scan(&status, &parcel); err != nil || parcel == "" {
			return i, err
		}
		i.Status = lost.Status(status)
		return i, readJSON("a parcel", parcel, &i.Parcel)
	})
	if more = len(items) > MaxUnsettled; more {
		items = items[:MaxUnsettled]
	}
	return items, more, err
}

// AddCloseCheckoutJob adds a job that closes a checkout page. It does nothing if the page has no
// id.
func (tx *Tx) AddCloseCheckoutJob(account string, page lost.Checkout) error {
	if page.ID == "" {
		return nil
	}
	return tx.AddJob(account, JobCloseCheckout, page.ID, tx.now)
}

// AddQuoteJobs adds jobs that request new quotes for parcels that are waiting for a quote. It
// covers a batch of the location's items with numbers above after, in the order of creation. It
// returns the number of the last item, or 0 if there are no more items.
func (tx *Tx) AddQuoteJobs(account, location string, after int64, limit int) (last int64, err error) {
	rs, err := tx.h.Query(tx.ctx,
		`SELECT seq, parcel FROM items WHERE account_id = $1 AND location_id = $2 AND source = 'found'
				AND status = 'INFO COMPLETED' AND seq > $3
		ORDER BY seq LIMIT $4`, account, location, after, limit)
	parcels, err := collect(rs, err, func(rs rows) (p lost.Parcel, err error) {
		var text string
		err = rs.Scan(&last, &text)
		if err != nil {
			return p, err
		}
		return p, readJSON("a parcel", text, &p)
	})
	if err != nil {
		return 0, err
	}
	for _, p := range parcels {
		if p.ShipmentID == "" || p.Offered {
			continue
		}
		if err := tx.AddJob(account, JobShip, p.ShipmentID, tx.now); err != nil {
			return 0, err
		}
	}
	return last, nil
}

// AddRequoteJob adds a job that calls AddQuoteJobs for a location's items with numbers above after.
func (tx *Tx) AddRequoteJob(account, location string, after int64) error {
	return tx.AddJob(account, JobRequote, writeStrings([]string{location, strconv.FormatInt(after, 10)}), tx.now)
}

// AddCheckPaymentJob adds a job that requests the state of a checkout page from the payment
// provider. It does nothing for the service's own checkout page, which needs no such job.
func (tx *Tx) AddCheckPaymentJob(s lost.Shipment, due time.Time) error {
	if s.Checkout.URL == "" {
		return nil
	}
	return tx.AddJob(s.Account, JobCheckPayment, writeStrings([]string{s.ID, s.Checkout.ID}), due)
}

// The kinds of rows in the table payments.
const (
	paymentKind = "paid"
	refundKind  = "refunded"
)

// SumPayments calls show with the payments and the refunds in each currency during a range. Payments lists them.
func (r reader) SumPayments(ctx context.Context, account string, s ReportRange,
	show func(f lost.PaymentFacts)) error {
	q := reportQuery(account, s, "p")
	q.between("p.at", s)
	return r.eachRow(ctx, "SELECT p.kind, p.currency, count(*), CAST(sum(p.postage) AS BIGINT), "+
		"CAST(sum(p.handling) AS BIGINT) FROM payments p"+q.clause()+" GROUP BY p.kind, p.currency", q,
		func(rs rows) error {
			var f lost.PaymentFacts
			var kind string
			err := rs.Scan(&kind, &f.Currency, &f.Number, &f.Postage, &f.Handling)
			f.Refund = kind == refundKind
			show(f)
			return err
		})
}

// recordPayments records the payment and the refund of a shipment, unless they were recorded before. Test payments are
// not recorded. A refund was made at the given time.
func (tx *Tx) recordPayments(s lost.Shipment, refunded time.Time) error {
	price := s.Quote.Price
	if s.PaidAt.IsZero() || s.PayBy == lost.PayTest || !price.Known() {
		return nil
	}
	add := func(kind string, at time.Time) error {
		return tx.queue("INSERT INTO payments (account_id, shipment_id, kind, location_id, item_id, at, postage, "+
			"handling, currency) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) "+
			"ON CONFLICT (account_id, shipment_id, kind) DO NOTHING",
			s.Account, s.ID, kind, s.LocationID, s.ItemID, micros(at), price.Postage, price.Handling, price.Currency)
	}
	if err := add(paymentKind, s.PaidAt); err != nil || s.Refund != lost.RefundDone {
		return err
	}
	return add(refundKind, refunded)
}

// unrecorded is the condition of the index shipments_unrecorded: the shipments that an instance of an older version has
// changed, which does not record payments.
const unrecorded = " FROM shipments AS s WHERE s.account_id = $1 AND s.recorded_at <> s.updated_at"

// HasUnrecordedPayments reports whether RecordPayments has something to do.
func (r reader) HasUnrecordedPayments(ctx context.Context, account string) (bool, error) {
	rs, err := r.h.Query(ctx, "SELECT 1"+unrecorded+limitClause(1), account)
	_, found, err := firstValue[int](rs, err)
	return found, err
}

// RecordPayments records the payments and refunds of some shipments that an older version has changed, at most limit,
// and returns the number of shipments. It skips shipments that another transaction is changing.
func (tx *Tx) RecordPayments(account string, limit int) (int, error) {
	rs, err := tx.h.Query(tx.ctx, "SELECT "+shipmentColumns+unrecorded+" ORDER BY s.id"+limitClause(limit)+
		tx.d.lockSkipping("s"), account)
	all, err := collect(rs, err, scanShipment)
	if err != nil {
		return 0, err
	}
	for _, s := range all {
		if err := tx.recordPayments(s, s.UpdatedAt); err != nil {
			return 0, err
		}
		err := tx.queue("UPDATE shipments SET recorded_at = updated_at WHERE account_id = $1 AND id = $2",
			account, s.ID)
		if err != nil {
			return 0, err
		}
	}
	return len(all), nil
}
