package placer

import (
	"fmt"
	"maps"
)

// Session is a unit of work that occupies slots of one host.
type Session struct {
	ID    string
	Slots int
}

// host is one machine.
type host struct {
	slots int
	used  int
}

// placement is where a session runs.
type placement struct {
	host  string
	slots int
}

// cluster is an immutable state; every change makes a copy.
type cluster struct {
	hosts    map[string]host
	sessions map[string]placement
}

func (c *cluster) clone() *cluster {
	next := &cluster{hosts: maps.Clone(c.hosts), sessions: maps.Clone(c.sessions)}
	if next.hosts == nil {
		next.hosts = make(map[string]host)
	}
	if next.sessions == nil {
		next.sessions = make(map[string]placement)
	}
	return next
}

// assign puts a session on a host.
func (c *cluster) assign(s Session, name string) (*cluster, error) {
	if _, ok := c.sessions[s.ID]; ok {
		return nil, ErrExists
	}
	h, ok := c.hosts[name]
	if !ok {
		return nil, errOutdated
	}
	next := c.clone()
	h.used += s.Slots
	next.hosts[name] = h
	next.sessions[s.ID] = placement{host: name, slots: s.Slots}
	return next, nil
}

// unassign takes a session off its host.
func (c *cluster) unassign(id string) (*cluster, error) {
	pl, ok := c.sessions[id]
	if !ok {
		return nil, ErrUnknown
	}
	next := c.clone()
	h := next.hosts[pl.host]
	h.used -= pl.slots
	next.hosts[pl.host] = h
	delete(next.sessions, id)
	return next, nil
}

// withHost adds a host or resizes an unused one.
func (c *cluster) withHost(name string, slots int) (*cluster, error) {
	if h := c.hosts[name]; h.used > 0 {
		return nil, fmt.Errorf("placer: host %s is in use", name)
	}
	next := c.clone()
	next.hosts[name] = host{slots: slots}
	return next, nil
}

// withoutHost removes a host and its sessions.
func (c *cluster) withoutHost(name string) *cluster {
	next := c.clone()
	delete(next.hosts, name)
	maps.DeleteFunc(next.sessions, func(_ string, pl placement) bool {
		return pl.host == name
	})
	return next
}

// bestFit returns the host with the fewest free slots that can take the need.
func bestFit(c *cluster, need int) (string, bool) {
	best, left := "", -1
	for name, h := range c.hosts {
		rest := h.slots - h.used - need
		if rest < 0 {
			continue
		}
		if left < 0 || rest < left {
			best, left = name, rest
		}
	}
	return best, left >= 0
}
