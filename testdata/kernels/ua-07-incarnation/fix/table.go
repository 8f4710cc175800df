// Package swim holds the membership table of a gossip cluster.
package swim

import (
	"encoding/json"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"
)

// State is the liveness of a member.
type State uint8

// States in the order in which they override each other at equal incarnation.
const (
	Alive State = iota
	Suspect
	Dead
)

// Member is an immutable record of the table.
type Member struct {
	Name        string    `json:"name"`
	Addr        string    `json:"addr"`
	Incarnation uint64    `json:"inc"`
	State       State     `json:"state"`
	Since       time.Time `json:"-"`
}

func (m *Member) overrides(old *Member) bool {
	if m.Incarnation != old.Incarnation {
		return m.Incarnation > old.Incarnation
	}
	return m.State > old.State
}

// Table maps names to the latest known records.
type Table struct {
	members sync.Map // string -> *Member
}

// Apply merges a record received from a peer and reports whether it was news.
func (t *Table) Apply(in Member) bool {
	next := in
	next.Since = time.Now()
	for {
		v, loaded := t.members.LoadOrStore(in.Name, &next)
		if !loaded {
			return true
		}
		if !next.overrides(v.(*Member)) {
			return false
		}
		if t.members.CompareAndSwap(in.Name, v, &next) {
			return true
		}
	}
}

// Get returns the record of a member.
func (t *Table) Get(name string) (Member, bool) {
	v, ok := t.members.Load(name)
	if !ok {
		return Member{}, false
	}
	return *v.(*Member), true
}

// Prune forgets members that have been dead for longer than keep.
func (t *Table) Prune(keep time.Duration) int {
	n := 0
	t.members.Range(func(k, v any) bool {
		m := v.(*Member)
		if m.State == Dead && time.Since(m.Since) > keep && t.members.CompareAndDelete(k, v) {
			n++
		}
		return true
	})
	return n
}

// List returns all records.
func (t *Table) List() []Member {
	var out []Member
	t.members.Range(func(_, v any) bool {
		out = append(out, *v.(*Member))
		return true
	})
	return out
}

// Listen reads gossip packets from pc with the given number of readers and
// returns when pc is closed.
func (t *Table) Listen(pc net.PacketConn, readers int) {
	var wg sync.WaitGroup
	for range readers {
		wg.Add(1)
		go func() {
			defer wg.Done()
			t.readLoop(pc)
		}()
	}
	wg.Wait()
}

func (t *Table) readLoop(pc net.PacketConn) {
	buf := make([]byte, 64<<10)
	for {
		n, from, err := pc.ReadFrom(buf)
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil {
			slog.Warn("gossip read", "err", err)
			continue
		}
		var batch []Member
		if err := json.Unmarshal(buf[:n], &batch); err != nil {
			slog.Warn("gossip decode", "from", from, "err", err)
			continue
		}
		for _, m := range batch {
			t.Apply(m)
		}
	}
}

// ServeHTTP handles a full state exchange.
func (t *Table) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var theirs []Member
	if err := json.NewDecoder(r.Body).Decode(&theirs); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	for _, m := range theirs {
		t.Apply(m)
	}
	_ = json.NewEncoder(w).Encode(t.List())
}
