package store

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"strconv"

	"homeward/internal/lost"
)

// MaxMatchExamples is the maximum number of decisions about suggestions that are kept for each account. The oldest ones
// are deleted.
const MaxMatchExamples = 2000

// maxOverruled is the maximum number of suggestions that are kept as overruled by one decision.
const maxOverruled = 20

// AddMatchExample keeps the decision about a suggestion as an example: its features, its score and the outcome, without
// texts and ids. A pair that was not suggested, because somebody found it by a search, is no example. It must be called
// before the suggestion is removed or rejected.
func (tx *Tx) AddMatchExample(account, request, item string, accepted bool) error {
	if err := tx.deleteOverruled(account, request); err != nil { // the request was reopened
		return err
	}
	return tx.addMatchExample(account, request, item, tx.encrypter.matchExampleIDs(account, request, item)[0], accepted)
}

// AddOverruledExamples keeps the likely and possible suggestions of a decided request as examples that were not
// accepted, except the accepted item. Without them, the desk's decisions would be mostly about suggestions that were
// right. They must be kept before the suggestions are removed.
func (tx *Tx) AddOverruledExamples(account, request, accepted string) error {
	if err := tx.deleteOverruled(account, request); err != nil {
		return err
	}
	rs, err := tx.h.Query(tx.ctx, "SELECT item_id FROM matches WHERE account_id = $1 AND request_id = $2 AND "+
		"refused_at = 0 AND likelihood IN ('likely', 'possible') AND item_id <> $3 ORDER BY score DESC, item_id"+
		limitClause(maxOverruled), account, request, accepted)
	items, err := collect(rs, err, scanText)
	if err != nil {
		return err
	}
	id := tx.encrypter.matchExampleIDs(account, request, "")[0]
	for n, item := range items {
		if err := tx.addMatchExample(account, request, item, overruledID(id, n), false); err != nil {
			return err
		}
	}
	return nil
}

func (tx *Tx) addMatchExample(account, request, item, id string, accepted bool) error {
	_, err := tx.exec(`INSERT INTO match_examples (account_id, id, decided_at, accepted, likelihood, score, features)
		SELECT account_id, $4, $5, $6, likelihood, score, features FROM matches
		WHERE account_id = $1 AND request_id = $2 AND item_id = $3 AND refused_at = 0
		ON CONFLICT (account_id, id) DO UPDATE SET decided_at = excluded.decided_at, accepted = excluded.accepted`,
		account, request, item, id, micros(tx.now), accepted)
	if err != nil {
		return err
	}
	return tx.queue("DELETE FROM match_examples WHERE account_id = $1 AND id IN (SELECT id FROM match_examples "+
		"WHERE account_id = $1 ORDER BY decided_at DESC, id DESC LIMIT 10 OFFSET "+strconv.Itoa(MaxMatchExamples)+")",
		account)
}

// DeleteMatchExamples deletes the examples of a decision about a request that was undone. The item is the one that was
// accepted, if there is one.
func (tx *Tx) DeleteMatchExamples(account, request, item string) error {
	if err := tx.deleteOverruled(account, request); err != nil {
		return err
	}
	return tx.deleteMatchExamples(account, tx.encrypter.matchExampleIDs(account, request, item))
}

// deleteOverruled deletes what AddOverruledExamples has kept.
func (tx *Tx) deleteOverruled(account, request string) error {
	var ids []string
	for _, id := range tx.encrypter.matchExampleIDs(account, request, "") {
		for n := range maxOverruled {
			ids = append(ids, overruledID(id, n))
		}
	}
	return tx.deleteMatchExamples(account, ids)
}

func (tx *Tx) deleteMatchExamples(account string, ids []string) error {
	q := &query{}
	q.where("account_id = " + q.arg(account))
	whereIn(q, "id", ids)
	return tx.queue("DELETE FROM match_examples"+q.clause(), q.args...)
}

// overruledID returns the id of an example that a decision about a request overruled, given the id of an example
// without an item. It does not depend on the item, so that the examples can be deleted when the suggestions are gone.
func overruledID(id string, n int) string { return id + "-" + strconv.Itoa(n) }

// matchExampleIDs returns the ids that the example of a pair may have, one for each of the service's secrets, the
// current one first. Without the secret, an id does not tell which request and item they were.
func (s *encrypter) matchExampleIDs(account, request, item string) (ids []string) {
	keys := s.keys
	if len(keys) == 0 { // only in tests
		keys = []encryptionKey{{}}
	}
	for _, k := range keys {
		hash := hmac.New(sha256.New, k.exampleKey)
		hash.Write([]byte(account + "\n" + request + "\n" + item))
		const enough = 16
		ids = append(ids, hex.EncodeToString(hash.Sum(nil)[:enough]))
	}
	return ids
}

// MatchReport returns how many suggestions of an account were accepted and rejected, by likelihood and by the tenths
// of their scores, the most likely first.
func (r reader) MatchReport(ctx context.Context, account string) ([]lost.MatchOutcome, error) {
	rs, err := r.h.Query(ctx, `SELECT likelihood, score / 100000 AS tenth, count(*),
			sum(CASE WHEN accepted THEN 1 ELSE 0 END), min(decided_at), max(decided_at)
		FROM match_examples WHERE account_id = $1 GROUP BY likelihood, score / 100000
		ORDER BY likelihood, score / 100000 DESC`, account)
	return collect(rs, err, func(rs rows) (o lost.MatchOutcome, err error) {
		var likelihood string
		var first, last int64
		err = rs.Scan(&likelihood, &o.Tenth, &o.Decided, &o.Accepted, &first, &last)
		o.Likelihood, o.First, o.Last = lost.Likelihood(likelihood), fromMicros(first), fromMicros(last)
		return o, err
	})
}
