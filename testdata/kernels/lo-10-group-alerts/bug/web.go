package vmalert

import (
	"cmp"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"
)

// Alert is a firing or pending alert.
type Alert struct {
	ID    uint64
	State string
}

// APIAlert is an alert of the API.
type APIAlert struct {
	ID     string
	RuleID string
	State  string
}

// APIRule is a rule of the API.
type APIRule struct {
	ID     string
	Name   string
	Alerts []*APIAlert
}

// APIGroup is a group of the API.
type APIGroup struct {
	ID       string
	Name     string
	Interval float64
	Rules    []APIRule
}

// AlertingRule keeps its alerts.
type AlertingRule struct {
	RuleID uint64
	Name   string

	alertsMu sync.RWMutex
	alerts   map[uint64]*Alert
}

// exec is called by the loop of the group.
func (ar *AlertingRule) exec(firing []uint64) {
	ar.alertsMu.Lock()
	defer ar.alertsMu.Unlock()
	ar.alerts = make(map[uint64]*Alert, len(firing))
	for _, id := range firing {
		ar.alerts[id] = &Alert{ID: id, State: "firing"}
	}
}

// AlertsToAPI returns the alerts of the rule.
func (ar *AlertingRule) AlertsToAPI() []*APIAlert {
	ar.alertsMu.RLock()
	defer ar.alertsMu.RUnlock()
	var alerts []*APIAlert
	for _, id := range slices.Sorted(maps.Keys(ar.alerts)) {
		alerts = append(alerts, &APIAlert{
			ID:     strconv.FormatUint(id, 10),
			RuleID: strconv.FormatUint(ar.RuleID, 10),
			State:  ar.alerts[id].State,
		})
	}
	return alerts
}

// ToAPI returns the rule with its alerts.
func (ar *AlertingRule) ToAPI() APIRule {
	return APIRule{ID: strconv.FormatUint(ar.RuleID, 10), Name: ar.Name, Alerts: ar.AlertsToAPI()}
}

// Group is a set of rules that are evaluated together.
type Group struct {
	id   uint64
	Name string

	mu       sync.RWMutex
	Interval time.Duration
	Rules    []*AlertingRule

	updateCh chan *Group
	doneCh   chan struct{}
}

// start is the loop of the group.
func (g *Group) start(query func(*AlertingRule) []uint64) {
	t := time.NewTicker(time.Second)
	defer t.Stop()
	for {
		select {
		case <-g.doneCh:
			return
		case ng := <-g.updateCh:
			g.updateWith(ng)
		case <-t.C:
			for _, r := range g.rules() {
				r.exec(query(r))
			}
		}
	}
}

// updateWith takes over the rules of the new configuration. Rules that are
// still there keep their alerts.
func (g *Group) updateWith(ng *Group) {
	g.mu.Lock()
	defer g.mu.Unlock()
	old := make(map[uint64]*AlertingRule)
	for _, r := range g.Rules {
		old[r.RuleID] = r
	}
	var rules []*AlertingRule
	for _, nr := range ng.Rules {
		if r, ok := old[nr.RuleID]; ok {
			nr = r
		}
		rules = append(rules, nr)
	}
	g.Rules = rules
	g.Interval = ng.Interval
}

func (g *Group) rules() []*AlertingRule {
	g.mu.RLock()
	defer g.mu.RUnlock()
	return g.Rules
}

// ToAPI returns the group with its rules.
func (g *Group) ToAPI() *APIGroup {
	g.mu.RLock()
	defer g.mu.RUnlock()
	ag := &APIGroup{ID: strconv.FormatUint(g.id, 10), Name: g.Name, Interval: g.Interval.Seconds()}
	for _, r := range g.Rules {
		ag.Rules = append(ag.Rules, r.ToAPI())
	}
	return ag
}

type manager struct {
	groupsMu sync.RWMutex
	groups   map[uint64]*Group
}

// update is called on a hot reload of the configuration.
func (m *manager) update(groups map[uint64]*Group) {
	m.groupsMu.RLock()
	defer m.groupsMu.RUnlock()
	for id, ng := range groups {
		if g, ok := m.groups[id]; ok {
			select {
			case g.updateCh <- ng:
			case <-g.doneCh:
			}
		}
	}
}

// GroupAlerts are the alerts of a group, each of a rule in the group.
type GroupAlerts struct {
	Group  *APIGroup
	Alerts []*APIAlert
}

type requestHandler struct {
	m      *manager
	render func(http.ResponseWriter, []GroupAlerts)
}

// ServeHTTP shows the page of the alerts.
func (rh *requestHandler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	rh.render(w, rh.groupAlerts())
}

func (rh *requestHandler) groupAlerts() []GroupAlerts {
	rh.m.groupsMu.RLock()
	defer rh.m.groupsMu.RUnlock()

	var gAlerts []GroupAlerts
	for _, g := range rh.m.groups {
		var alerts []*APIAlert
		for _, r := range g.rules() {
			alerts = append(alerts, r.AlertsToAPI()...)
		}
		if len(alerts) > 0 {
			gAlerts = append(gAlerts, GroupAlerts{
				Group:  g.ToAPI(),
				Alerts: alerts,
			})
		}
	}
	slices.SortFunc(gAlerts, func(a, b GroupAlerts) int {
		return cmp.Compare(a.Group.Name, b.Group.Name)
	})
	return gAlerts
}
