package rules

import (
	"context"
	"log"
	"reflect"
	"sync"
	"time"
)

// QueryFunc processes PromQL queries.
type QueryFunc func(ctx context.Context, q string, t time.Time) (float64, error)

// Appendable allows creating appenders.
type Appendable interface {
	Append(name string, t time.Time, v float64) error
}

// A Rule encapsulates a vector expression which is evaluated at a specified
// interval and acted upon.
type Rule struct {
	Name string
	Expr string
}

// Group is a set of rules that have a logical relation.
type Group struct {
	name     string
	file     string
	interval time.Duration
	rules    []Rule

	seriesMtx            sync.Mutex
	seriesInPreviousEval map[string]float64
	lastEvaluation       time.Time

	opts          *ManagerOptions
	shouldRestore bool

	markStale   bool
	done        chan struct{}
	terminated  chan struct{}
	managerDone chan struct{}
}

// GroupOptions are the options of a group.
type GroupOptions struct {
	Name, File    string
	Interval      time.Duration
	Rules         []Rule
	ShouldRestore bool
	Opts          *ManagerOptions
	done          chan struct{}
}

// NewGroup makes a new Group with the given name, options, and rules.
func NewGroup(o GroupOptions) *Group {
	return &Group{
		name:                 o.Name,
		file:                 o.File,
		interval:             o.Interval,
		rules:                o.Rules,
		shouldRestore:        o.ShouldRestore,
		opts:                 o.Opts,
		seriesInPreviousEval: map[string]float64{},
		done:                 make(chan struct{}),
		managerDone:          o.done,
		terminated:           make(chan struct{}),
	}
}

// GroupKey group names need not be unique across filenames.
func GroupKey(file, name string) string {
	return file + ";" + name
}

// Name returns the group name.
func (g *Group) Name() string { return g.name }

func (g *Group) run(ctx context.Context) {
	defer close(g.terminated)

	tick := time.NewTicker(g.interval)
	defer tick.Stop()

	defer func() {
		if !g.markStale {
			return
		}
		go func(now time.Time) {
			// Wait for 2 intervals to give the opportunity to renamed rules
			// to insert new series in the tsdb. At this point if there is a
			// renamed rule, it should already be started.
			select {
			case <-g.managerDone:
			case <-time.After(2 * g.interval):
				g.cleanupStaleSeries(now)
			}
		}(time.Now())
	}()

	for {
		select {
		case <-g.done:
			return
		default:
			select {
			case <-g.done:
				return
			case ts := <-tick.C:
				g.Eval(ctx, ts)
			}
		}
	}
}

func (g *Group) stop() {
	close(g.done)
	<-g.terminated
}

// Eval runs a single evaluation cycle in which all rules are evaluated sequentially.
func (g *Group) Eval(ctx context.Context, ts time.Time) {
	for _, rule := range g.rules {
		select {
		case <-g.done:
			return
		default:
		}
		v, err := g.opts.QueryFunc(ctx, rule.Expr, ts)
		if err != nil {
			log.Printf("Evaluating rule failed rule=%s: %v", rule.Name, err)
			continue
		}
		if err := g.opts.Appendable.Append(rule.Name, ts, v); err != nil {
			log.Printf("Rule sample appending failed rule=%s: %v", rule.Name, err)
			continue
		}
		g.seriesMtx.Lock()
		g.seriesInPreviousEval[rule.Name] = v
		g.lastEvaluation = ts
		g.seriesMtx.Unlock()
	}
}

func (g *Group) cleanupStaleSeries(ts time.Time) {
	g.seriesMtx.Lock()
	defer g.seriesMtx.Unlock()
	for name := range g.seriesInPreviousEval {
		g.opts.Appendable.Append(name, ts, staleNaN)
	}
}

const staleNaN = -1

// CopyState copies the alerting rule and staleness related state from the given group.
func (g *Group) CopyState(from *Group) {
	from.seriesMtx.Lock()
	defer from.seriesMtx.Unlock()
	g.seriesMtx.Lock()
	defer g.seriesMtx.Unlock()
	g.lastEvaluation = from.lastEvaluation
	for name, v := range from.seriesInPreviousEval {
		g.seriesInPreviousEval[name] = v
	}
}

// Equals return if two groups are the same.
func (g *Group) Equals(ng *Group) bool {
	return g.name == ng.name && g.file == ng.file && g.interval == ng.interval && reflect.DeepEqual(g.rules, ng.rules)
}
