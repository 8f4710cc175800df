// Package mirror copies the lines of a journal to a number of sites.
package mirror

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

// Site is where a copy is kept.
type Site struct {
	ID   string
	Addr string
}

// Transport carries lines to a site, which ignores those that it has.
type Transport interface {
	Push(ctx context.Context, addr string, from int, lines []string) error
}

// copier copies to one site. It has its own goroutine.
type copier struct {
	site   Site
	siteMu sync.RWMutex // guards site, which is set by the main loop
	next   atomic.Int64
	kick   chan struct{}
	stop   context.CancelFunc
}

// Mirror owns the copiers. They are started, changed and stopped by its main
// loop, and by nobody else.
type Mirror struct {
	tr      Transport
	ctx     context.Context
	cancel  context.CancelFunc
	configC chan []Site
	addC    chan string
	wg      sync.WaitGroup

	copiers map[string]*copier // used by the main loop only

	mu    sync.RWMutex
	lines []string
}

// New starts a mirror.
func New(tr Transport) *Mirror {
	m := &Mirror{
		tr:      tr,
		configC: make(chan []Site),
		addC:    make(chan string),
		copiers: make(map[string]*copier),
	}
	m.ctx, m.cancel = context.WithCancel(context.Background())
	m.wg.Add(1)
	go m.loop()
	return m
}

func (m *Mirror) loop() {
	defer m.wg.Done()
	for {
		select {
		case sites := <-m.configC:
			m.configure(sites)
		case line := <-m.addC:
			m.mu.Lock()
			m.lines = append(m.lines, line)
			m.mu.Unlock()
			for _, c := range m.copiers {
				notify(c.kick)
			}
		case <-m.ctx.Done():
			return
		}
	}
}

// configure starts and stops copiers, and tells those that stay of a new
// address. It is called by the main loop.
func (m *Mirror) configure(sites []Site) {
	keep := make(map[string]bool, len(sites))
	for _, site := range sites {
		keep[site.ID] = true
		c, ok := m.copiers[site.ID]
		if !ok {
			c = &copier{site: site, kick: make(chan struct{}, 1)}
			var ctx context.Context
			ctx, c.stop = context.WithCancel(m.ctx)
			m.copiers[site.ID] = c
			m.wg.Add(1)
			go m.copyTo(ctx, c)
			notify(c.kick)
			continue
		}

		c.siteMu.RLock()
		old := c.site
		c.siteMu.RUnlock()
		if old.Addr != site.Addr {
			c.siteMu.Lock()
			c.site = site
			c.siteMu.Unlock()
			notify(c.kick)
		}
	}
	for id, c := range m.copiers {
		if !keep[id] {
			c.stop()
			delete(m.copiers, id)
		}
	}
}

func notify(ch chan struct{}) {
	select {
	case ch <- struct{}{}:
	default:
	}
}

// copyTo is the goroutine of a copier.
func (m *Mirror) copyTo(ctx context.Context, c *copier) {
	defer m.wg.Done()
	retry := time.NewTicker(time.Second)
	defer retry.Stop()
	for {
		select {
		case <-c.kick:
		case <-retry.C:
		case <-ctx.Done():
			return
		}
		from := int(c.next.Load())
		lines := m.from(from)
		if len(lines) == 0 {
			continue
		}
		c.siteMu.RLock()
		addr := c.site.Addr
		c.siteMu.RUnlock()
		if m.tr.Push(ctx, addr, from, lines) == nil {
			c.next.Store(int64(from + len(lines)))
		}
	}
}

func (m *Mirror) from(i int) []string {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return append([]string(nil), m.lines[i:]...)
}

// Add adds a line. It returns false if the mirror is closed.
func (m *Mirror) Add(line string) bool {
	select {
	case m.addC <- line:
		return true
	case <-m.ctx.Done():
		return false
	}
}

// Configure sets the sites. It returns false if the mirror is closed.
func (m *Mirror) Configure(sites []Site) bool {
	select {
	case m.configC <- append([]Site(nil), sites...):
		return true
	case <-m.ctx.Done():
		return false
	}
}

// Close ends the mirror.
func (m *Mirror) Close() {
	m.cancel()
	m.wg.Wait()
}
