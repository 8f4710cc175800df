// Package flagsdk evaluates feature flags against the last payload received.
package flagsdk

import (
	"context"
	"encoding/json"
	"errors"
	"hash/crc32"
	"log/slog"
	"net/http"
	"sync"
	"time"
)

// ErrNotReady is returned by WaitReady when its context ends first.
var ErrNotReady = errors.New("flagsdk: no payload yet")

// Rule turns a flag on for a share of the users.
type Rule struct {
	Percent uint32   `json:"percent"`
	Users   []string `json:"users"`
}

type payload struct {
	Version int64           `json:"version"`
	Rules   map[string]Rule `json:"rules"`
}

type store struct {
	sync.RWMutex
	ready   bool
	version int64
	rules   map[string]Rule
}

func (s *store) isReady() bool {
	s.RLock()
	defer s.RUnlock()
	return s.ready
}

func (s *store) rule(key string) (Rule, bool) {
	s.RLock()
	defer s.RUnlock()
	r, ok := s.rules[key]
	return r, ok
}

// install reports whether p was the first payload.
func (s *store) install(p payload) (first bool) {
	s.Lock()
	defer s.Unlock()
	if s.ready && p.Version <= s.version {
		return false
	}
	first = !s.ready
	s.ready, s.version, s.rules = true, p.Version, p.Rules
	return first
}

// SDK polls the flag service.
type SDK struct {
	url    string
	client *http.Client
	st     store
	first  chan struct{}
}

// New starts polling until ctx ends.
func New(ctx context.Context, url string, client *http.Client, every time.Duration) *SDK {
	s := &SDK{url: url, client: client, first: make(chan struct{})}
	go func() {
		t := time.NewTicker(every)
		defer t.Stop()
		for {
			if err := s.poll(ctx); err != nil {
				slog.Debug("flags not polled", "err", err)
			}
			select {
			case <-t.C:
			case <-ctx.Done():
				return
			}
		}
	}()
	return s
}

func (s *SDK) poll(ctx context.Context) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.url, nil)
	if err != nil {
		return err
	}
	resp, err := s.client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	return s.receive(json.NewDecoder(resp.Body))
}

// receive is also called by the push handler.
func (s *SDK) receive(d *json.Decoder) error {
	var p payload
	if err := d.Decode(&p); err != nil {
		return err
	}
	if s.st.install(p) {
		close(s.first)
	}
	return nil
}

// ServeHTTP takes a pushed payload.
func (s *SDK) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	if err := s.receive(json.NewDecoder(r.Body)); err != nil {
		http.Error(rw, err.Error(), http.StatusBadRequest)
	}
}

// WaitReady waits for the first payload.
func (s *SDK) WaitReady(ctx context.Context) error {
	if s.st.isReady() {
		return nil
	}
	select {
	case <-s.first:
		return nil
	case <-ctx.Done():
		return ErrNotReady
	}
}

// Bool evaluates a flag for a user. Before the first payload it is def, and a
// flag that the payload does not know is off.
func (s *SDK) Bool(key, user string, def bool) bool {
	if !s.st.isReady() {
		return def
	}
	r, ok := s.st.rule(key)
	if !ok {
		return false
	}
	for _, u := range r.Users {
		if u == user {
			return true
		}
	}
	return crc32.ChecksumIEEE([]byte(key+"/"+user))%100 < r.Percent
}
