// Package rollout holds the feature flags of a service.
package rollout

import (
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
)

var (
	ErrFlag    = errors.New("rollout: unknown flag")
	ErrPercent = errors.New("rollout: percentage out of range")
)

type Flag struct {
	Name    string `json:"name"`
	Percent uint32 `json:"percent"`
}

// snapshot is immutable; flags is indexed by index.
type snapshot struct {
	index map[string]int
	flags []Flag
}

func (s *snapshot) find(name string) (int, bool) {
	i, ok := s.index[name]
	return i, ok
}

func (s *snapshot) at(i int) Flag { return s.flags[i] }

func build(flags []Flag) *snapshot {
	s := &snapshot{index: make(map[string]int, len(flags)), flags: flags}
	for i, f := range flags {
		s.index[f.Name] = i
	}
	return s
}

type Flags struct {
	write sync.Mutex // one writer at a time
	cur   atomic.Pointer[snapshot]
}

func New(flags ...Flag) *Flags {
	f := &Flags{}
	f.cur.Store(build(flags))
	return f
}

// edit publishes a changed copy of the flags.
func (f *Flags) edit(change func([]Flag) ([]Flag, error)) error {
	f.write.Lock()
	defer f.write.Unlock()
	flags, err := change(slices.Clone(f.cur.Load().flags))
	if err != nil {
		return err
	}
	f.cur.Store(build(flags))
	return nil
}

func (f *Flags) SetPercent(name string, p uint32) error {
	if p > 100 {
		return ErrPercent
	}
	return f.edit(func(flags []Flag) ([]Flag, error) {
		i := slices.IndexFunc(flags, func(x Flag) bool { return x.Name == name })
		if i < 0 {
			return append(flags, Flag{Name: name, Percent: p}), nil
		}
		flags[i].Percent = p
		return flags, nil
	})
}

func (f *Flags) Remove(name string) error {
	return f.edit(func(flags []Flag) ([]Flag, error) {
		n := len(flags)
		flags = slices.DeleteFunc(flags, func(x Flag) bool { return x.Name == name })
		if len(flags) == n {
			return nil, fmt.Errorf("%w: %s", ErrFlag, name)
		}
		return flags, nil
	})
}

// Decide tells whether the user sees the feature.
func (f *Flags) Decide(name, user string) bool {
	s := f.cur.Load()
	i, ok := s.find(name)
	if !ok {
		return false
	}
	return crc32.ChecksumIEEE([]byte(name+user))%100 < s.at(i).Percent
}

func (f *Flags) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodGet {
		_ = json.NewEncoder(w).Encode(f.cur.Load().flags)
		return
	}
	p, err := strconv.ParseUint(r.FormValue("percent"), 10, 32)
	if err == nil {
		err = f.SetPercent(r.PathValue("flag"), uint32(p))
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}
