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

// AddMatchExample keeps the decision about a suggestion as an example: its features, its score and the outcome, without
// texts and ids. A pair that was not suggested, because somebody found it by a search, is no example. It must be called
// before the suggestion is removed or rejected.
func (tx *Tx) AddMatchExample(account, request, item string, accepted bool) error {
	_, err := tx.exec(`INSERT INTO match_examples (account_id, id, decided_at, accepted, likelihood, score, features)
		SELECT account_id, $4, $5, $6, likelihood, score, features FROM matches
		WHERE account_id = $1 AND request_id = $2 AND item_id = $3 AND refused_at = 0
		ON CONFLICT (account_id, id) DO UPDATE SET decided_at = excluded.decided_at, accepted = excluded.accepted`,
		account, request, item, tx.encrypter.matchExampleIDs(account, request, item)[0], micros(tx.now), accepted)
	if err != nil {
		return err
	}
	return tx.queue("DELETE FROM match_examples WHERE account_id = $1 AND id IN (SELECT id FROM match_examples "+
		"WHERE account_id = $1 ORDER BY decided_at DESC, id DESC LIMIT 10 OFFSET "+strconv.Itoa(MaxMatchExamples)+")",
		account)
}

// DeleteMatchExample deletes the example of a decision that was undone.
func (tx *Tx) DeleteMatchExample(account, request, item string) error {
	q := &query{}
	q.where("account_id = " + q.arg(account))
	whereIn(q, "id", tx.encrypter.matchExampleIDs(account, request, item))
	return tx.queue("DELETE FROM match_examples"+q.clause(), q.args...)
}

// matchExampleIDs returns the ids that the example of a pair may have, one for each of the service's secrets, the current
// one first. Without the secret, an id does not tell which request and item they were.
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
