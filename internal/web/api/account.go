package api

import (
	"net/http"

	"homeward/internal/lost"
	v1 "homeward/internal/v1"
)

// accountHandlers serves the operations on the account and its API keys.
type accountHandlers struct{ handlers }

func (h accountHandlers) operations() []operation {
	const group, path, one = "Account and keys", "/v1/keys", "/v1/keys/{id}"
	return []operation{
		{
			method: http.MethodGet, path: "/v1/account", handle: h.getAccount,
			id: "get-account", group: group, summary: "Retrieve the account",
			about:  "Returns the account that the key belongs to, and what the key is allowed to do.",
			status: http.StatusOK, response: v1.Account{},
		},
		{
			method: http.MethodPost, path: path, handle: h.createKey,
			id: "create-key", group: group, summary: "Create an API key",
			about: "Creates a key for the account. The response contains the key, which is never shown again: " +
				"only a hash is stored. A key can be read-only, be limited to some locations and have an expiry " +
				"date. A key with origins is publishable and begins with hwp_: see the description of origins.",
			body: v1.Key{}, status: http.StatusCreated, response: v1.Key{},
			refuses: []lost.Code{lost.Conflict},
		},
		{
			method: http.MethodGet, path: path, handle: h.listKeys,
			id: "list-keys", group: group, summary: "List API keys",
			about: "Lists the account's keys, newest first, including revoked ones.",
			query: paging(), status: http.StatusOK, response: v1.List[v1.Key]{},
		},
		{
			method: http.MethodGet, path: one, handle: h.getKey,
			id: "get-key", group: group, summary: "Retrieve an API key",
			about:  "Returns the properties of a key, without the key itself.",
			status: http.StatusOK, response: v1.Key{},
		},
		{
			method: http.MethodPut, path: one, handle: h.renameKey,
			id: "rename-key", group: group, summary: "Rename an API key",
			about: "Changes the name of a key. Nothing else about a key can be changed; create another key instead.",
			body:  v1.KeyName{}, status: http.StatusOK, response: v1.Key{},
		},
		{
			method: http.MethodDelete, path: one, handle: h.revokeKey,
			id: "revoke-key", group: group, summary: "Revoke an API key",
			about:  "The key stops working immediately. Revoking it again changes nothing.",
			status: http.StatusNoContent,
		},
	}
}

func (h accountHandlers) createKey(c *call) error {
	patch, key, err := read(c, v1.DecodeKey)
	if err != nil {
		return err
	}
	k, err := h.services.Keys.Create(c.r.Context(), c.actor, patch, key)
	if err != nil {
		return err
	}
	return c.writeCreated("/v1/keys/"+k.ID, h.wire.Key(k.Key, k.Secret))
}

func (h accountHandlers) getKey(c *call) error {
	k, err := h.services.Keys.Get(c.r.Context(), c.actor, c.path("id"))
	return writeRecord(c, k, err, h.shownKey)
}

func (h accountHandlers) renameKey(c *call) error {
	patch, _, err := read(c, v1.DecodeKeyName)
	if err != nil {
		return err
	}
	k, err := h.services.Keys.Rename(c.r.Context(), c.actor, c.path("id"), patch)
	return writeRecord(c, k, err, h.shownKey)
}

func (h accountHandlers) listKeys(c *call) error {
	page, err := c.page()
	if err != nil {
		return err
	}
	l, err := h.services.Keys.List(c.r.Context(), c.actor, page)
	return writeList(c, l, err, h.shownKey)
}

// shownKey encodes a key without its secret.
func (h accountHandlers) shownKey(k lost.Key) v1.Key { return h.wire.Key(k, "") }

func (h accountHandlers) revokeKey(c *call) error {
	return c.writeDeleted(h.services.Keys.Revoke(c.r.Context(), c.actor, c.path("id")))
}

func (h accountHandlers) getAccount(c *call) error {
	acc, err := h.services.Accounts.Account(c.r.Context(), c.actor)
	return writeRecord(c, acc, err, func(acc lost.Account) v1.Account { return h.wire.Account(acc, c.actor) })
}
