package a

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/netip"
	"slices"
	"sync"
)

var ErrTooMany = errors.New("firewall: rule limit reached")

// Rule lets a network in or keeps it out.
type Rule struct {
	ID    string       `json:"id"`
	Net   netip.Prefix `json:"net"`
	Allow bool         `json:"allow"`
}

// table is what the packet path looks at. Its lock is held only briefly.
type table struct {
	mu    sync.RWMutex
	rules []Rule
}

func (t *table) len() int {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return len(t.rules)
}

func (t *table) index(id string) int {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return slices.IndexFunc(t.rules, func(r Rule) bool { return r.ID == id })
}

func (t *table) insert(at int, r Rule) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.rules = slices.Insert(t.rules, at, r)
}

func (t *table) replaceAt(at int, r Rule) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.rules[at] = r
}

func (t *table) removeAt(at int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.rules = slices.Delete(t.rules, at, at+1)
}

func (t *table) allowed(addr netip.Addr) bool {
	t.mu.RLock()
	defer t.mu.RUnlock()
	for _, r := range t.rules {
		if r.Net.Contains(addr) {
			return r.Allow
		}
	}
	return false
}

// Persister saves one change of the rules.
type Persister interface {
	Save(op string, r Rule) error
}

// Firewall is the rule table with its administration.
type Firewall struct {
	limit int
	store Persister
	live  table

	admin sync.Mutex // serialises every change of the rules
}

func New(limit int, store Persister) *Firewall {
	return &Firewall{limit: limit, store: store}
}

// Allowed is called for each new connection.
func (f *Firewall) Allowed(addr netip.Addr) bool { return f.live.allowed(addr) }

// Upsert appends a rule, or puts it in the place of the one with the same id.
func (f *Firewall) Upsert(r Rule) error {
	f.admin.Lock()
	defer f.admin.Unlock()
	at := f.live.index(r.ID)
	if at < 0 && f.live.len() >= f.limit {
		return ErrTooMany
	}
	if err := f.store.Save("upsert", r); err != nil {
		return err
	}
	if at < 0 {
		f.live.insert(f.live.len(), r)
		return nil
	}
	f.live.replaceAt(at, r)
	return nil
}

// Delete removes a rule.
func (f *Firewall) Delete(id string) error {
	f.admin.Lock()
	defer f.admin.Unlock()
	at := f.live.index(id)
	if at < 0 {
		return nil
	}
	if err := f.store.Save("delete", Rule{ID: id}); err != nil {
		return err
	}
	f.live.removeAt(at)
	return nil
}

func (f *Firewall) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var err error
	switch r.Method {
	case http.MethodPut:
		var rule Rule
		if err = json.NewDecoder(r.Body).Decode(&rule); err == nil {
			err = f.Upsert(rule)
		}
	case http.MethodDelete:
		err = f.Delete(r.FormValue("id"))
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusConflict)
	}
}
