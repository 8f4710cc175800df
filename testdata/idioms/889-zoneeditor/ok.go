// Package dnszone serves a DNS zone from memory and lets operators edit it.
package dnszone

import (
	"errors"
	"slices"
	"sync"
)

var (
	// ErrConflict is returned when a name cannot hold the record.
	ErrConflict = errors.New("dnszone: conflicting record")
	// ErrUnknown is returned for a record that does not exist.
	ErrUnknown = errors.New("dnszone: unknown record")
)

// Record is one resource record.
type Record struct {
	Type  string
	Value string
}

// records is what the resolvers read.
type records struct {
	mu     sync.RWMutex
	byName map[string][]Record
}

// get returns the records of name. The slice is never changed afterwards.
func (r *records) get(name string) []Record {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.byName[name]
}

// put replaces the records of name.
func (r *records) put(name string, set []Record) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(set) == 0 {
		delete(r.byName, name)
		return
	}
	r.byName[name] = set
}

// Journal makes edits durable before they are served.
type Journal interface {
	Write(name string, set []Record) error
}

// Zone is safe for concurrent use: any number of resolvers and operators.
type Zone struct {
	journal Journal
	served  records

	editing sync.Mutex // held by an operator from the first look to the last write
}

// New returns an empty zone.
func New(journal Journal) *Zone {
	return &Zone{journal: journal, served: records{byName: make(map[string][]Record)}}
}

// Resolve returns the records of name that have type typ.
func (z *Zone) Resolve(name, typ string) []Record {
	var out []Record
	for _, rec := range z.served.get(name) {
		if rec.Type == typ || rec.Type == "CNAME" {
			out = append(out, rec)
		}
	}
	return out
}

// Add enters a record. A CNAME does not go with other records.
func (z *Zone) Add(name string, rec Record) error {
	z.editing.Lock()
	defer z.editing.Unlock()
	set := z.served.get(name)
	if slices.Contains(set, rec) {
		return nil
	}
	if len(set) > 0 && (rec.Type == "CNAME" || set[0].Type == "CNAME") {
		return ErrConflict
	}
	return z.apply(name, append(slices.Clone(set), rec))
}

// Remove deletes a record.
func (z *Zone) Remove(name string, rec Record) error {
	z.editing.Lock()
	defer z.editing.Unlock()
	set := z.served.get(name)
	at := slices.Index(set, rec)
	if at < 0 {
		return ErrUnknown
	}
	return z.apply(name, slices.Delete(slices.Clone(set), at, at+1))
}

// apply makes set durable and serves it. The caller holds z.editing; resolvers
// are not held up by the journal.
func (z *Zone) apply(name string, set []Record) error {
	if err := z.journal.Write(name, set); err != nil {
		return err
	}
	z.served.put(name, set)
	return nil
}
