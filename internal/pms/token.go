package pms

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"homeward/internal/lost/stay"
)

// token is an access token of OAuth.
type token struct {
	value   string
	expires time.Time
}

const (
	// maxKept limits the tokens and rooms in memory. If there are more, all are forgotten.
	maxKept = 1000
	// early is how long before its end a token is replaced.
	early           = 30 * time.Second
	defaultLifetime = 5 * time.Minute
	maxLifetime     = 24 * time.Hour
	// keepRoom is how long the id of a room is kept.
	keepRoom = 10 * time.Minute
)

// key identifies a connection with its credentials, so that changed credentials get other tokens.
func (c caller) key() string {
	var b strings.Builder
	b.WriteString(c.to.Account + "\x00" + c.to.LocationID + "\x00" + string(c.to.System))
	for _, name := range slices.Sorted(maps.Keys(c.to.Values)) {
		b.WriteString("\x00" + name + "\x00" + c.to.Values[name])
	}
	sum := sha256.Sum256([]byte(b.String()))
	return hex.EncodeToString(sum[:])
}

// grant is the answer of a token endpoint.
type grant struct {
	AccessToken string `json:"access_token"`
	ExpiresIn   int64  `json:"expires_in"`
}

// token returns an access token: the one in memory, or a new one that the request gets.
func (c caller) token(ctx context.Context, r request) (string, error) {
	key := c.key()
	c.client.mu.Lock()
	kept := c.client.tokens[key]
	c.client.mu.Unlock()
	if kept.value != "" && c.client.now().Before(kept.expires) {
		return kept.value, nil
	}
	var g grant
	if err := c.send(ctx, r, &g); err != nil {
		return "", tokenError(err)
	}
	if g.AccessToken == "" {
		return "", &stay.SystemError{Problem: stay.Unreadable, Cause: errors.New("there is no token in the answer")}
	}
	lifetime := min(time.Duration(min(g.ExpiresIn, int64(maxLifetime/time.Second)))*time.Second, maxLifetime)
	if lifetime <= 0 {
		lifetime = defaultLifetime
	}
	fresh := token{g.AccessToken, c.client.now().Add(max(lifetime-early, lifetime/2))}
	c.client.mu.Lock()
	defer c.client.mu.Unlock()
	if len(c.client.tokens) >= maxKept {
		clear(c.client.tokens)
	}
	c.client.tokens[key] = fresh
	return fresh.value, nil
}

// tokenError returns the error for a request to a token endpoint that failed. The endpoint answers 400 or 401 to wrong
// credentials. Everything else may work later.
func tokenError(err error) error {
	answered, ok := errors.AsType[*answerError](err)
	if !ok {
		return err
	}
	switch answered.status {
	case http.StatusBadRequest, http.StatusUnauthorized:
		return &stay.SystemError{Problem: stay.Unauthorized, Cause: answered}
	case http.StatusForbidden, http.StatusNotFound: // not about reservations or a property
		return &stay.SystemError{Problem: stay.Unreadable, Cause: answered}
	default:
		return err
	}
}

// forget removes a token that the system has rejected, unless another request has replaced it.
func (c caller) forget(value string) {
	c.client.mu.Lock()
	defer c.client.mu.Unlock()
	if key := c.key(); c.client.tokens[key].value == value {
		delete(c.client.tokens, key)
	}
}

// withToken sends a request that build returns for an access token. If the system rejects the token, it tries once more
// with a fresh one.
func (c caller) withToken(ctx context.Context, login request, build func(token string) request, answer any) error {
	for attempt := 0; ; attempt++ {
		value, err := c.token(ctx, login)
		if err != nil {
			return err
		}
		err = c.send(ctx, build(value), answer)
		if !isProblem(err, stay.Unauthorized) || attempt > 0 {
			return err
		}
		c.forget(value)
	}
}

// roomID is the id of a room in a system.
type roomID struct {
	id      string
	expires time.Time
}

// room returns the id of a room: the one in memory, or the one that find returns. It is empty if there is no such room.
func (c caller) room(ctx context.Context, name string, find func(context.Context) (string, error)) (string, error) {
	key := c.key() + " " + stay.RoomKey(name)
	c.client.mu.Lock()
	kept := c.client.rooms[key]
	c.client.mu.Unlock()
	if kept.id != "" && c.client.now().Before(kept.expires) {
		return kept.id, nil
	}
	id, err := find(ctx)
	if err != nil || id == "" {
		return "", err
	}
	if len(id) > maxRoomID {
		return "", &stay.SystemError{Problem: stay.Unreadable, Cause: errors.New("the id of a room is too long")}
	}
	c.client.mu.Lock()
	defer c.client.mu.Unlock()
	if len(c.client.rooms) >= maxKept {
		clear(c.client.rooms)
	}
	c.client.rooms[key] = roomID{id, c.client.now().Add(keepRoom)}
	return id, nil
}
