// Package ok reloads the timing of a running node.
package ok

import (
	"errors"
	"sync"
	"sync/atomic"
	"time"
)

// Config is immutable once it is stored.
type Config struct {
	Heartbeat    time.Duration
	Election     time.Duration
	TrailingLogs uint64
	LocalID      string
}

func (c *Config) validate() error {
	if c.LocalID == "" {
		return errors.New("empty id")
	}
	if c.Heartbeat < 5*time.Millisecond {
		return errors.New("heartbeat timeout is too low")
	}
	if c.Election < c.Heartbeat {
		return errors.New("election timeout must not be less than heartbeat timeout")
	}
	return nil
}

// Tunables are the fields that may change at run time; nil means unchanged.
type Tunables struct {
	Heartbeat    *time.Duration
	Election     *time.Duration
	TrailingLogs *uint64
}

func (t Tunables) apply(c Config) Config {
	if t.Heartbeat != nil {
		c.Heartbeat = *t.Heartbeat
	}
	if t.Election != nil {
		c.Election = *t.Election
	}
	if t.TrailingLogs != nil {
		c.TrailingLogs = *t.TrailingLogs
	}
	return c
}

// Node has a heartbeat loop.
type Node struct {
	conf     atomic.Value
	changeMu sync.Mutex

	notify  chan struct{}
	contact atomic.Int64
	expired atomic.Uint64
	stop    chan struct{}
}

// New returns a running node.
func New(c Config) (*Node, error) {
	if err := c.validate(); err != nil {
		return nil, err
	}
	n := &Node{notify: make(chan struct{}, 1), stop: make(chan struct{})}
	n.conf.Store(c)
	n.contact.Store(time.Now().UnixNano())
	go n.run()
	return n, nil
}

func (n *Node) config() Config { return n.conf.Load().(Config) }

// Reload changes some of the tunables.
func (n *Node) Reload(t Tunables) error {
	n.changeMu.Lock()
	defer n.changeMu.Unlock()

	old := n.config()
	c := t.apply(old)
	if err := c.validate(); err != nil {
		return err
	}
	n.conf.Store(c)

	if c.Heartbeat < old.Heartbeat {
		select {
		case n.notify <- struct{}{}:
		default:
		}
	}
	return nil
}

// Contact is called when the leader was heard of.
func (n *Node) Contact() { n.contact.Store(time.Now().UnixNano()) }

// Trailing returns how many entries are kept.
func (n *Node) Trailing() uint64 { return n.config().TrailingLogs }

func (n *Node) run() {
	timer := time.NewTimer(n.config().Heartbeat)
	defer timer.Stop()
	for {
		select {
		case <-timer.C:
		case <-n.notify:
			timer.Stop()
		case <-n.stop:
			return
		}
		hb := n.config().Heartbeat
		if since := time.Since(time.Unix(0, n.contact.Load())); since > hb {
			n.expired.Add(1)
		}
		timer.Reset(hb)
	}
}

// Stop ends the loop; it is called once.
func (n *Node) Stop() { close(n.stop) }
