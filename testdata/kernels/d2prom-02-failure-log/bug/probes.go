// Package bug runs probes in groups and reports their failures.
package bug

import (
	"context"
	"fmt"
	"io"
	"sync"
	"time"
)

// Config describes one group.
type Config struct {
	Period   time.Duration
	FailFile string
}

// failLog is a log of failures.
type failLog struct {
	mu sync.Mutex
	w  io.WriteCloser
}

func (l *failLog) report(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	fmt.Fprintln(l.w, err)
}

func (l *failLog) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.w.Close()
}

// probe calls a target again and again.
type probe struct {
	target string
	period time.Duration
	check  func(ctx context.Context, target string) error

	ctx    context.Context
	cancel func()
	ended  chan struct{}

	logMu sync.RWMutex
	log   *failLog
}

func (p *probe) setLog(l *failLog) {
	p.logMu.Lock()
	p.log = l
	p.logMu.Unlock()
}

func (p *probe) run() {
	defer close(p.ended)
	t := time.NewTicker(p.period)
	defer t.Stop()
	for p.ctx.Err() == nil {
		if err := p.check(p.ctx, p.target); err != nil {
			p.logMu.RLock()
			if p.log != nil {
				p.log.report(err)
			}
			p.logMu.RUnlock()
		}
		select {
		case <-t.C:
		case <-p.ctx.Done():
		}
	}
}

func (p *probe) stop() {
	p.cancel()
	<-p.ended
}

// group is a set of probes with one configuration.
type group struct {
	check func(ctx context.Context, target string) error

	mu  sync.Mutex // held by reload
	cfg Config

	probesMu sync.Mutex
	probes   map[string]*probe
	log      *failLog
}

func newGroup(targets []string, check func(context.Context, string) error) *group {
	g := &group{check: check, cfg: Config{Period: time.Minute}, probes: make(map[string]*probe)}
	for _, t := range targets {
		g.probes[t] = g.newProbe(t, g.cfg)
		go g.probes[t].run()
	}
	return g
}

func (g *group) newProbe(target string, cfg Config) *probe {
	ctx, cancel := context.WithCancel(context.Background())
	return &probe{target: target, period: cfg.Period, check: g.check, ctx: ctx, cancel: cancel, ended: make(chan struct{})}
}

// setLog changes the log of the group and of all its probes.
func (g *group) setLog(l *failLog) {
	g.probesMu.Lock()
	defer g.probesMu.Unlock()
	g.log = l
	for _, p := range g.probes {
		p.setLog(l)
	}
}

func (g *group) reload(cfg Config) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.cfg != cfg {
		g.cfg = cfg
		g.restart()
	}
}

// restart replaces all probes; it returns when the old ones have stopped.
func (g *group) restart() {
	var wg sync.WaitGroup
	g.probesMu.Lock()
	log := g.log
	for t, old := range g.probes {
		fresh := g.newProbe(t, g.cfg)
		wg.Add(1)
		go func(old, fresh *probe) {
			old.stop()
			wg.Done()

			fresh.setLog(log)
			fresh.run()
		}(old, fresh)
		g.probes[t] = fresh
	}
	g.probesMu.Unlock()

	wg.Wait()
}

// Manager holds the groups.
type Manager struct {
	open func(file string) io.WriteCloser

	mu     sync.Mutex
	groups map[string]*group
	logs   map[string]*failLog
}

// NewManager returns a manager with one group for each list of targets.
func NewManager(open func(string) io.WriteCloser, targets map[string][]string, check func(context.Context, string) error) *Manager {
	m := &Manager{open: open, groups: make(map[string]*group)}
	for name, ts := range targets {
		m.groups[name] = newGroup(ts, check)
	}
	return m
}

// Apply puts a new configuration into effect. It has an entry for each group.
func (m *Manager) Apply(cfgs map[string]Config) {
	m.mu.Lock()
	defer m.mu.Unlock()

	before := m.logs
	used := make(map[string]*failLog)
	for _, c := range cfgs {
		if l := before[c.FailFile]; l != nil {
			used[c.FailFile] = l
		} else if used[c.FailFile] == nil {
			used[c.FailFile] = &failLog{w: m.open(c.FailFile)}
		}
	}
	m.logs = used

	var wg sync.WaitGroup
	for name, g := range m.groups {
		c := cfgs[name]
		wg.Add(1)
		go func(g *group, c Config) {
			defer wg.Done()
			g.reload(c)
			g.setLog(used[c.FailFile])
		}(g, c)
	}
	wg.Wait()

	for f, l := range before {
		if used[f] == nil {
			l.close()
		}
	}
}
