// Package dict is the dictionary encoding of a column store.
package dict

import (
	"encoding/json"
	"net/http"
	"slices"
	"sync"
)

// Dictionary maps strings to codes. Codes are positions in values, which is
// only ever appended to, so a code stays valid for the life of the process.
type Dictionary struct {
	mu     sync.RWMutex
	codes  map[string]int
	values []string
}

func NewDictionary() *Dictionary {
	return &Dictionary{codes: make(map[string]int)}
}

// Code returns the code of s, adding s if it is new.
func (d *Dictionary) Code(s string) int {
	d.mu.Lock()
	defer d.mu.Unlock()
	if c, ok := d.codes[s]; ok {
		return c
	}
	c := len(d.values)
	d.values = append(d.values, s)
	d.codes[s] = c
	return c
}

// Find returns the code of s if there is one.
func (d *Dictionary) Find(s string) (int, bool) {
	d.mu.RLock()
	defer d.mu.RUnlock()
	c, ok := d.codes[s]
	return c, ok
}

// Len returns the number of codes.
func (d *Dictionary) Len() int {
	d.mu.RLock()
	defer d.mu.RUnlock()
	return len(d.values)
}

// Value returns the string of a code.
func (d *Dictionary) Value(code int) string {
	d.mu.RLock()
	defer d.mu.RUnlock()
	return d.values[code]
}

// Column is a dictionary-encoded column; ingest and queries run in parallel.
type Column struct {
	dict *Dictionary

	mu   sync.RWMutex
	rows []int
}

func NewColumn() *Column {
	return &Column{dict: NewDictionary()}
}

// Append adds a row.
func (c *Column) Append(s string) {
	code := c.dict.Code(s)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.rows = append(c.rows, code)
}

// Count returns the number of rows equal to s.
func (c *Column) Count(s string) (n int) {
	code, ok := c.dict.Find(s)
	if !ok {
		return 0
	}
	c.mu.RLock()
	defer c.mu.RUnlock()
	for _, r := range c.rows {
		if r == code {
			n++
		}
	}
	return n
}

// Range decodes the rows from lo up to hi.
func (c *Column) Range(lo, hi int) []string {
	c.mu.RLock()
	hi = min(max(hi, 0), len(c.rows))
	lo = min(max(lo, 0), hi)
	codes := slices.Clone(c.rows[lo:hi])
	c.mu.RUnlock()
	out := make([]string, len(codes))
	for i, code := range codes {
		out[i] = c.dict.Value(code)
	}
	return out
}

// Values lists the distinct strings seen so far.
func (c *Column) Values() []string {
	n := c.dict.Len()
	out := make([]string, 0, n)
	for code := range n {
		out = append(out, c.dict.Value(code))
	}
	return out
}

// ServeHTTP handles POST (append rows) and GET (distinct values).
func (c *Column) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodPost {
		var rows []string
		if err := json.NewDecoder(r.Body).Decode(&rows); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		for _, s := range rows {
			c.Append(s)
		}
	}
	_ = json.NewEncoder(w).Encode(c.Values())
}
