package v1

import (
	"encoding/json"
	"strconv"

	"homeward/internal/lost"
)

// NewItems is a request to create several items.
type NewItems struct {
	Items []Item `json:"items" input:"required" items:"100"`
}

// DecodeNewItems decodes a request to create several items. The problems of an item are in its patch, and its fields
// have the same names as in a request to create one item.
func DecodeNewItems(body []byte) (p lost.BulkPatch, err error) {
	err = decode(body, &p.DecodeResult, func(o *object) {
		var list []json.RawMessage
		scalar(o, "items", "must be a list of objects", &p.Items, func(raw json.RawMessage) ([]lost.ItemPatch, bool) {
			err := json.Unmarshal(raw, &list)
			list = list[:min(len(list), lost.MaxBulk+1)] // enough to reject the list as too long
			return make([]lost.ItemPatch, len(list)), err == nil
		})
		for n, raw := range list {
			readNewItem(n, raw, &p.Items.Value[n])
		}
	})
	return p, err
}

func readNewItem(n int, raw json.RawMessage, p *lost.ItemPatch) {
	if raw[0] != '{' {
		p.Problems.Add("items["+strconv.Itoa(n)+"]", "wrong-type", "must be an object")
		return
	}
	o := newObject("", raw, &p.DecodeResult)
	o.item(p)
	o.refuseRest()
}

// BulkMove is a request to set the status of several items.
type BulkMove struct {
	IDs    []string `json:"ids" input:"required" items:"100"`
	Status string   `json:"status" input:"required" enum:"statuses"`
}

// DecodeBulkMove decodes a request to set the status of several items.
func DecodeBulkMove(body []byte) (p lost.BulkMovePatch, err error) {
	err = decode(body, &p.DecodeResult, func(o *object) {
		o.texts("ids", &p.IDs)
		o.text("status", &p.Status)
	})
	return p, err
}

// BulkResults are the results of a request about several items, in the order of the request.
type BulkResults struct {
	Results []BulkResult `json:"results"`
}

// BulkResult is the result for one item: the item, or the problem that prevented the change.
type BulkResult struct {
	Index   int      `json:"index"`
	Status  int      `json:"status"`
	Item    *Item    `json:"item,omitempty"`
	Problem *Problem `json:"problem,omitempty" sample:"omit"`
}

// BulkResults converts results to the API format. The status of an item that was created or changed is done. The
// function problem converts a refusal.
func (w Encoder) BulkResults(results lost.BulkResults, done int, problem func(error) Problem) BulkResults {
	out := BulkResults{Results: make([]BulkResult, len(results))}
	for n, r := range results {
		one := &out.Results[n]
		one.Index = n
		if r.Refused != nil {
			p := problem(r.Refused)
			one.Status, one.Problem = p.Status, &p
			continue
		}
		item := w.Item(r.Item)
		one.Status, one.Item = done, &item
	}
	return out
}

// HandOver is a request to record that an item was handed over.
type HandOver struct {
	Recipient string `json:"recipient" input:"required" max:"200"`
	IDChecked bool   `json:"idChecked" input:"optional"`
	Note      string `json:"note" input:"optional" max:"5000"`
	Signature string `json:"signature" input:"optional" max:"280000" sample:"omit"`
}

// DecodeHandOver decodes a request to record that an item was handed over.
func DecodeHandOver(body []byte) (p lost.HandoverPatch, err error) {
	err = decode(body, &p.DecodeResult, func(o *object) {
		var recipient, note, signature lost.Field[string]
		var checked lost.Field[bool]
		o.text("recipient", &recipient)
		o.flag("idChecked", &checked)
		o.text("note", &note)
		o.text("signature", &signature)
		p.Recipient, p.IDChecked, p.Note = recipient.Value, checked.Value, note.Value
		var ok bool
		if p.Signature, ok = lost.ParseBase64(signature.Value); !ok {
			o.bad("signature", "invalid-encoding", "must be a PNG image in base64, alone or in a data: URL")
		}
	})
	return p, err
}
