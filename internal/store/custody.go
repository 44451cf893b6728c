package store

import "homeward/internal/lost"

// storedCustody is the JSON of item fields that no query filters by: the earliest day of disposal and the handover.
type storedCustody struct {
	KeepUntil string          `json:"keepUntil,omitempty"`
	Handover  *storedHandover `json:"handover,omitempty"`
}

type storedHandover struct {
	Name      string `json:"name"`
	IDChecked bool   `json:"idChecked,omitempty"`
	At        int64  `json:"at"`
	Signature string `json:"signature,omitempty"`
	Receipt   string `json:"receipt,omitempty"`

	Before lost.Before `json:"before,omitzero"`
}

func writeCustody(i lost.Item) string {
	c := storedCustody{KeepUntil: i.KeepUntil}
	if h := i.Handover; h.Known() {
		c.Handover = &storedHandover{h.Name, h.IDChecked, micros(h.At), h.SignatureFile, h.ReceiptFile, h.Before}
	}
	if c == (storedCustody{}) {
		return ""
	}
	return toJSON(c)
}

func readCustody(destination, text string, i *lost.Item) error {
	i.Destination = lost.Destination(destination)
	var c storedCustody
	if err := readJSON("the custody of an item", text, &c); err != nil {
		return err
	}
	i.KeepUntil = c.KeepUntil
	if h := c.Handover; h != nil {
		i.Handover = lost.Handover{
			Name: h.Name, IDChecked: h.IDChecked, At: fromMicros(h.At), SignatureFile: h.Signature,
			ReceiptFile: h.Receipt, Before: h.Before,
		}
	}
	return nil
}
