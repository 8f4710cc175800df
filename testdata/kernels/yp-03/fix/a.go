package a

import (
	"context"
	"fmt"
	"hash/fnv"
	"log"
	"maps"
	"net/http"
	"strconv"
	"sync/atomic"
	"time"
)

// Flag is one feature switch.
type Flag struct {
	Percent  uint32
	Override bool
}

type ruleset struct {
	version int
	flags   map[string]Flag
}

func (r *ruleset) clone() *ruleset {
	return &ruleset{version: r.version, flags: maps.Clone(r.flags)}
}

// Source delivers the flags configured in the control plane.
type Source interface {
	Fetch(ctx context.Context) (map[string]Flag, error)
}

// Flags answers feature checks on the hot path without a lock: a ruleset is
// never modified once it is installed.
type Flags struct {
	cur atomic.Pointer[ruleset]
}

func New() *Flags {
	f := &Flags{}
	f.cur.Store(&ruleset{flags: map[string]Flag{}})
	return f
}

// Enabled tells whether the flag is on for the user.
func (f *Flags) Enabled(name, user string) bool {
	fl, ok := f.cur.Load().flags[name]
	if !ok {
		return false
	}
	h := fnv.New32a()
	h.Write([]byte(name))
	h.Write([]byte(user))
	return h.Sum32()%100 < fl.Percent
}

func (f *Flags) Version() int { return f.cur.Load().version }

func (f *Flags) update(edit func(flags map[string]Flag)) int {
	for {
		old := f.cur.Load()
		next := old.clone()
		edit(next.flags)
		next.version++
		if f.cur.CompareAndSwap(old, next) {
			return next.version
		}
	}
}

// SetOverride pins a flag from the admin page.
func (f *Flags) SetOverride(name string, percent uint32) int {
	return f.update(func(flags map[string]Flag) {
		flags[name] = Flag{Percent: percent, Override: true}
	})
}

// ClearOverride drops a pinned flag; the next poll brings back its
// configured value.
func (f *Flags) ClearOverride(name string) int {
	return f.update(func(flags map[string]Flag) {
		if flags[name].Override {
			delete(flags, name)
		}
	})
}

func (f *Flags) merge(remote map[string]Flag) int {
	return f.update(func(flags map[string]Flag) {
		for name, fl := range flags {
			if _, ok := remote[name]; !ok && !fl.Override {
				delete(flags, name)
			}
		}
		for name, fl := range remote {
			if !flags[name].Override {
				flags[name] = fl
			}
		}
	})
}

// Poll refreshes the flags until ctx ends.
func (f *Flags) Poll(ctx context.Context, src Source, every time.Duration) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		remote, err := src.Fetch(ctx)
		if err != nil {
			log.Printf("flags: poll: %v", err)
		} else {
			f.merge(remote)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

func (f *Flags) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name := r.FormValue("flag")
	if r.Method == http.MethodDelete {
		fmt.Fprintln(w, f.ClearOverride(name))
		return
	}
	pct, err := strconv.ParseUint(r.FormValue("percent"), 10, 8)
	if err != nil || pct > 100 {
		http.Error(w, "bad percent", http.StatusBadRequest)
		return
	}
	fmt.Fprintln(w, f.SetOverride(name, uint32(pct)))
}

// Start wires the admin page and the poller.
func Start(ctx context.Context, mux *http.ServeMux, src Source) *Flags {
	f := New()
	mux.Handle("/admin/flags", f)
	go f.Poll(ctx, src, 30*time.Second)
	return f
}
