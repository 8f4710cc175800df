// Package bug chooses a backend whose address comes from DNS.
package bug

import (
	"context"
	"errors"
	"net"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

var errNoBackend = errors.New("no backend available")

// counters are kept per address and live as long as the process.
type counters struct {
	active atomic.Int64
	fails  atomic.Int64
}

var hosts sync.Map // address -> *counters

func countersOf(addr string) *counters {
	v, _ := hosts.LoadOrStore(addr, new(counters))
	return v.(*counters)
}

// rules say when a backend is to be left alone.
type rules struct {
	maxFails  int64
	maxActive int64
}

// Backend is one address a request can be sent to.
type Backend struct {
	addr string
	host *counters

	mu    sync.RWMutex
	rules rules
}

func (b *Backend) setRules(r rules) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.rules = r
}

func (b *Backend) usable() bool {
	b.mu.RLock()
	defer b.mu.RUnlock()
	if b.rules.maxFails > 0 && b.host.fails.Load() >= b.rules.maxFails {
		return false
	}
	return b.rules.maxActive == 0 || b.host.active.Load() < b.rules.maxActive
}

// Begin counts a request until the returned function is called.
func (b *Backend) Begin() func(ok bool) {
	b.host.active.Add(1)
	return func(ok bool) {
		b.host.active.Add(-1)
		if !ok {
			b.host.fails.Add(1)
			time.AfterFunc(30*time.Second, func() { b.host.fails.Add(-1) })
		}
	}
}

type answer struct {
	when     time.Time
	backends []*Backend
}

const (
	answerTTL  = time.Minute
	maxAnswers = 100
)

func (a answer) fresh() bool { return time.Since(a.when) < answerTTL }

var (
	answers   = make(map[string]answer)
	answersMu sync.RWMutex
)

// Source looks up a host name.
type Source struct {
	Name string
	Port int

	resolver *net.Resolver
}

func (s *Source) key() string { return net.JoinHostPort(s.Name, strconv.Itoa(s.Port)) }

// Backends returns the addresses of the name.
func (s *Source) Backends(ctx context.Context) ([]*Backend, error) {
	key := s.key()

	answersMu.RLock()
	known := answers[key]
	answersMu.RUnlock()
	if known.fresh() {
		return known.backends, nil
	}

	answersMu.Lock()
	defer answersMu.Unlock()
	known = answers[key]
	if known.fresh() {
		return known.backends, nil
	}

	ips, err := s.resolver.LookupIPAddr(ctx, s.Name)
	if err != nil {
		return nil, err
	}
	backends := make([]*Backend, len(ips))
	for i, ip := range ips {
		addr := net.JoinHostPort(ip.String(), strconv.Itoa(s.Port))
		backends[i] = &Backend{addr: addr, host: countersOf(addr)}
	}
	if known.when.IsZero() && len(answers) >= maxAnswers {
		for k := range answers {
			delete(answers, k)
			break
		}
	}
	answers[key] = answer{when: time.Now(), backends: backends}
	return backends, nil
}

// Proxy sends requests to the backends of one source.
type Proxy struct {
	src   *Source
	rules rules
	next  atomic.Uint32
}

// NewProxy returns a proxy with its own limits.
func NewProxy(name string, port int, maxFails, maxActive int64) *Proxy {
	return &Proxy{
		src:   &Source{Name: name, Port: port, resolver: net.DefaultResolver},
		rules: rules{maxFails: maxFails, maxActive: maxActive},
	}
}

// Pick returns the backend for the next request.
func (p *Proxy) Pick(ctx context.Context) (*Backend, error) {
	list, err := p.src.Backends(ctx)
	if err != nil {
		return nil, err
	}
	for _, b := range list {
		b.setRules(p.rules)
	}
	n := p.next.Add(1)
	for i := range list {
		b := list[(int(n)+i)%len(list)]
		if b.usable() {
			return b, nil
		}
	}
	return nil, errNoBackend
}
