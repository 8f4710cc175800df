package rules

import (
	"context"
	"errors"
	"log"
	"math"
	"sync"
	"time"
)

// Sample is one result of a rule.
type Sample struct {
	Metric string
	T      int64
	V      float64
}

// Rule is an alerting or recording rule.
type Rule interface {
	Name() string
	Eval(ctx context.Context, ts time.Time) ([]Sample, error)
}

// Appender stores samples.
type Appender interface {
	Add(metric string, t int64, v float64) error
	Commit() error
}

// ManagerOptions bundles options for the Manager.
type ManagerOptions struct {
	Context  context.Context
	Appender func() Appender
	Load     func(files []string) (map[string][]Rule, error)
}

// Group is a set of rules that have a logical relation.
type Group struct {
	name                 string
	interval             time.Duration
	rules                []Rule
	seriesInPreviousEval []map[string]struct{} // One per Rule.
	staleSeries          []string
	opts                 *ManagerOptions
	mtx                  sync.Mutex
	evaluationTimestamp  time.Time

	done        chan bool
	terminated  chan struct{}
	managerDone chan struct{}
}

// NewGroup makes a new Group with the given name, options, and rules.
func NewGroup(name string, interval time.Duration, rules []Rule, opts *ManagerOptions, managerDone chan struct{}) *Group {
	return &Group{
		name:                 name,
		interval:             interval,
		rules:                rules,
		opts:                 opts,
		seriesInPreviousEval: make([]map[string]struct{}, len(rules)),
		done:                 make(chan bool),
		managerDone:          managerDone,
		terminated:           make(chan struct{}),
	}
}

func (g *Group) run(ctx context.Context) {
	defer close(g.terminated)

	// Wait an initial amount to have consistently slotted intervals.
	evalTimestamp := time.Now().Truncate(g.interval).Add(g.interval)
	select {
	case <-time.After(time.Until(evalTimestamp)):
	case <-g.done:
		return
	}

	iter := func() {
		start := time.Now()
		g.Eval(ctx, evalTimestamp)
		g.setEvaluationTimestamp(start)
	}

	tick := time.NewTicker(g.interval)
	defer tick.Stop()

	makeStale := func(s bool) {
		if !s {
			return
		}
		go func(now time.Time) {
			for _, rule := range g.seriesInPreviousEval {
				for r := range rule {
					g.staleSeries = append(g.staleSeries, r)
				}
			}
			// That can be garbage collected at this point.
			g.seriesInPreviousEval = nil
			// Wait for 2 intervals to give the opportunity to renamed rules
			// to insert new series in the tsdb. At this point if there is a
			// renamed rule, it should already be started.
			select {
			case <-g.managerDone:
			case <-time.After(2 * g.interval):
				g.cleanupStaleSeries(now)
			}
		}(time.Now())
	}

	iter()
	for {
		select {
		case stale := <-g.done:
			makeStale(stale)
			return
		case <-tick.C:
			missed := (time.Since(evalTimestamp) / g.interval) - 1
			evalTimestamp = evalTimestamp.Add((missed + 1) * g.interval)
			iter()
		}
	}
}

func (g *Group) stopAndMakeStale() {
	g.done <- true
	<-g.terminated
}

func (g *Group) stop() {
	close(g.done)
	<-g.terminated
}

// EvaluationTimestamp returns the time the last evaluation took place.
func (g *Group) EvaluationTimestamp() time.Time {
	g.mtx.Lock()
	defer g.mtx.Unlock()
	return g.evaluationTimestamp
}

func (g *Group) setEvaluationTimestamp(ts time.Time) {
	g.mtx.Lock()
	defer g.mtx.Unlock()
	g.evaluationTimestamp = ts
}

// CopyState copies the staleness related state from the given, stopped group.
func (g *Group) CopyState(from *Group) {
	byName := make(map[string]int, len(from.rules))
	for i, r := range from.rules {
		byName[r.Name()] = i
	}
	for i, r := range g.rules {
		if fi, ok := byName[r.Name()]; ok {
			g.seriesInPreviousEval[i] = from.seriesInPreviousEval[fi]
			delete(byName, r.Name())
		}
	}
	g.staleSeries = from.staleSeries
	for _, fi := range byName {
		for s := range from.seriesInPreviousEval[fi] {
			g.staleSeries = append(g.staleSeries, s)
		}
	}
}

// Eval runs a single evaluation cycle in which all rules are evaluated sequentially.
func (g *Group) Eval(ctx context.Context, ts time.Time) {
	for i, rule := range g.rules {
		select {
		case <-g.done:
			return
		default:
		}

		vector, err := rule.Eval(ctx, ts)
		if err != nil {
			log.Printf("Evaluating rule %s failed: %v", rule.Name(), err)
			continue
		}
		app := g.opts.Appender()
		seriesReturned := make(map[string]struct{}, len(g.seriesInPreviousEval[i]))
		for _, s := range vector {
			if err := app.Add(s.Metric, s.T, s.V); err == nil {
				seriesReturned[s.Metric] = struct{}{}
			}
		}
		for metric := range g.seriesInPreviousEval[i] {
			if _, ok := seriesReturned[metric]; !ok {
				// Series no longer exposed, mark it stale.
				app.Add(metric, ts.UnixMilli(), math.NaN())
			}
		}
		if err := app.Commit(); err != nil {
			log.Printf("rule sample appending failed: %v", err)
			continue
		}
		g.seriesInPreviousEval[i] = seriesReturned
	}
	g.cleanupStaleSeries(ts)
}

func (g *Group) cleanupStaleSeries(ts time.Time) {
	if len(g.staleSeries) == 0 {
		return
	}
	app := g.opts.Appender()
	for _, s := range g.staleSeries {
		app.Add(s, ts.UnixMilli(), math.NaN())
	}
	if err := app.Commit(); err != nil {
		log.Printf("stale sample appending failed: %v", err)
		return
	}
	g.staleSeries = nil
}

// The Manager manages recording and alerting rules.
type Manager struct {
	opts   *ManagerOptions
	groups map[string]*Group
	mtx    sync.RWMutex
	block  chan struct{}
	done   chan struct{}
}

// NewManager returns an implementation of Manager, ready to be started
// by calling the Run method.
func NewManager(o *ManagerOptions) *Manager {
	return &Manager{
		groups: map[string]*Group{},
		opts:   o,
		block:  make(chan struct{}),
		done:   make(chan struct{}),
	}
}

// Run starts processing of the rule manager.
func (m *Manager) Run() {
	close(m.block)
}

// Stop the rule manager's rule evaluation cycles.
func (m *Manager) Stop() {
	m.mtx.Lock()
	defer m.mtx.Unlock()

	for _, eg := range m.groups {
		eg.stop()
	}

	// Shut down the groups waiting multiple evaluation intervals to write
	// staleness markers.
	close(m.done)
}

// Update the rule manager's state as the config requires. If
// loading the new rules failed the old rule set is restored.
func (m *Manager) Update(interval time.Duration, files []string) error {
	m.mtx.Lock()
	defer m.mtx.Unlock()

	loaded, err := m.opts.Load(files)
	if err != nil {
		return errors.New("error loading rules, previous rule set restored")
	}
	groups := make(map[string]*Group, len(loaded))

	var wg sync.WaitGroup
	for gn, rules := range loaded {
		newg := NewGroup(gn, interval, rules, m.opts, m.done)
		groups[gn] = newg
		// If there is an old group with the same identifier, stop it and wait
		// for it to finish the current iteration. Then copy it into the new
		// group.
		oldg, ok := m.groups[gn]
		delete(m.groups, gn)

		wg.Add(1)
		go func(newg *Group) {
			if ok {
				oldg.stop()
				newg.CopyState(oldg)
			}
			go func() {
				// Wait with starting evaluation until the rule manager
				// is told to run. This is necessary to avoid running
				// queries against a bootstrapping storage.
				<-m.block
				newg.run(m.opts.Context)
			}()
			wg.Done()
		}(newg)
	}

	// Stop remaining old groups.
	wg.Add(len(m.groups))
	for _, oldg := range m.groups {
		go func(g *Group) {
			g.stopAndMakeStale()
			wg.Done()
		}(oldg)
	}

	wg.Wait()
	m.groups = groups
	return nil
}
