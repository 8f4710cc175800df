// Package ok finds the addresses of peers.
package ok

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"
)

// Finder asks one source.
type Finder interface {
	Find(ctx context.Context, peer string) ([]string, error)
	String() string
}

// retryAfter is an error that tells when to ask again.
type retryAfter interface {
	RetryAfter() time.Duration
}

// Answer is a cached answer of a finder.
type Answer struct {
	Addresses []string
	when      time.Time
	until     time.Time
	found     bool
}

type answers struct {
	mut  sync.Mutex
	byID map[string]Answer
}

func newAnswers() *answers {
	return &answers{byID: make(map[string]Answer)}
}

func (a *answers) set(peer string, e Answer) {
	a.mut.Lock()
	a.byID[peer] = e
	a.mut.Unlock()
}

func (a *answers) get(peer string) (Answer, bool) {
	a.mut.Lock()
	e, ok := a.byID[peer]
	a.mut.Unlock()
	return e, ok
}

func (a *answers) all() map[string]Answer {
	a.mut.Lock()
	defer a.mut.Unlock()
	m := make(map[string]Answer, len(a.byID))
	for k, v := range a.byID {
		m[k] = v
	}
	return m
}

// source is a finder with its cache.
type source struct {
	Finder

	keep    time.Duration
	keepNeg time.Duration
	cache   *answers
}

// Directory asks all sources.
type Directory struct {
	mut     sync.RWMutex
	sources map[string]*source

	errMut  sync.Mutex
	lastErr map[string]error
}

// NewDirectory returns a directory without sources.
func NewDirectory() *Directory {
	return &Directory{sources: make(map[string]*source), lastErr: make(map[string]error)}
}

// Add adds a source under an identity; one that exists is left alone.
func (d *Directory) Add(identity string, f Finder, keep, keepNeg time.Duration) {
	d.mut.Lock()
	defer d.mut.Unlock()
	if _, ok := d.sources[identity]; ok {
		return
	}
	d.sources[identity] = &source{Finder: f, keep: keep, keepNeg: keepNeg, cache: newAnswers()}
}

// Remove removes a source.
func (d *Directory) Remove(identity string) error {
	d.mut.Lock()
	defer d.mut.Unlock()
	if _, ok := d.sources[identity]; !ok {
		return errors.New("no such source")
	}
	delete(d.sources, identity)
	return nil
}

// Lookup returns the addresses of a peer.
func (d *Directory) Lookup(ctx context.Context, peer string) []string {
	var addresses []string
	d.mut.RLock()
	for _, s := range d.sources {
		if e, ok := s.cache.get(peer); ok {
			if e.found && time.Since(e.when) < s.keep {
				// It's a positive, valid answer. Use it.
				addresses = append(addresses, e.Addresses...)
				continue
			}
			valid := time.Now().Before(e.until) || time.Since(e.when) < s.keepNeg
			if !e.found && valid {
				continue
			}
			// It's expired. Ignore and continue.
		}

		// Perform the actual lookup and cache the result.
		found, err := s.Find(ctx, peer)
		d.noteErr(s.String(), err)
		if err == nil {
			addresses = append(addresses, found...)
			s.cache.set(peer, Answer{
				Addresses: found,
				when:      time.Now(),
				found:     len(found) > 0,
			})
			continue
		}
		e := Answer{when: time.Now()}
		var ra retryAfter
		if errors.As(err, &ra) {
			e.until = time.Now().Add(ra.RetryAfter())
		}
		s.cache.set(peer, e)
	}
	d.mut.RUnlock()

	slices.Sort(addresses)
	return slices.Compact(addresses)
}

func (d *Directory) noteErr(name string, err error) {
	d.errMut.Lock()
	d.lastErr[name] = err
	d.errMut.Unlock()
}

// Cached returns what is known without asking.
func (d *Directory) Cached() map[string][]string {
	d.mut.RLock()
	defer d.mut.RUnlock()
	res := make(map[string][]string)
	for _, s := range d.sources {
		for peer, e := range s.cache.all() {
			if e.found {
				res[peer] = append(res[peer], e.Addresses...)
			}
		}
	}
	return res
}

// Errors returns the last error of each source.
func (d *Directory) Errors() []string {
	d.errMut.Lock()
	defer d.errMut.Unlock()
	var all []string
	for name, err := range d.lastErr {
		if err != nil {
			all = append(all, fmt.Sprintf("%s: %v", name, err))
		}
	}
	slices.Sort(all)
	return all
}
