// Package passplan lets ground stations agree by gossip on who takes which
// satellite pass.
package passplan

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net"
	"sync"
	"sync/atomic"
)

// LTime is a logical time.
type LTime uint64

// Clock is a Lamport clock; the zero value is ready to use.
type Clock struct {
	now atomic.Uint64
}

// Time returns the current time.
func (c *Clock) Time() LTime { return LTime(c.now.Load()) }

// Tick advances the clock by one and returns the new time.
func (c *Clock) Tick() LTime { return LTime(c.now.Add(1)) }

// Witness is called with the time of each message from another station.
func (c *Clock) Witness(t LTime) {
	seen := uint64(t)
	cur := c.now.Load()
	if seen < cur {
		return
	}
	c.now.Store(seen + 1)
}

// Claim says that a station takes a pass.
type Claim struct {
	Pass    string `json:"pass"`
	Station string `json:"station"`
	Time    LTime  `json:"ltime"`
}

// wins tells whether c replaces old.
func (c Claim) wins(old Claim) bool {
	if c.Time != old.Time {
		return c.Time > old.Time
	}
	return c.Station < old.Station
}

// Gossip sends a payload to some peers.
type Gossip interface {
	Broadcast(payload []byte) error
}

// Agent holds the plan of one station.
type Agent struct {
	station string
	clock   Clock
	gossip  Gossip
	log     *slog.Logger

	mu    sync.RWMutex
	plan  map[string]Claim
	stale int
}

// NewAgent returns an agent with an empty plan.
func NewAgent(station string, g Gossip, log *slog.Logger) *Agent {
	return &Agent{station: station, gossip: g, log: log, plan: make(map[string]Claim)}
}

// Claim takes a pass for this station and tells the others.
func (a *Agent) Claim(pass string) error {
	c := Claim{Pass: pass, Station: a.station, Time: a.clock.Tick()}
	if !a.merge(c) {
		return fmt.Errorf("pass %s is taken by %s", pass, a.Owner(pass))
	}
	buf, err := json.Marshal(c)
	if err != nil {
		return err
	}
	return a.gossip.Broadcast(buf)
}

// Owner returns the station that has the pass.
func (a *Agent) Owner(pass string) string {
	a.mu.RLock()
	defer a.mu.RUnlock()
	return a.plan[pass].Station
}

// Stale returns how many claims came too late.
func (a *Agent) Stale() int {
	a.mu.RLock()
	defer a.mu.RUnlock()
	return a.stale
}

func (a *Agent) merge(c Claim) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if old, ok := a.plan[c.Pass]; ok && old != c && !c.wins(old) {
		a.stale++
		return false
	}
	a.plan[c.Pass] = c
	return true
}

func (a *Agent) handle(payload []byte, from net.Addr) {
	var c Claim
	if err := json.Unmarshal(payload, &c); err != nil {
		a.log.Warn("bad claim", "from", from, "err", err)
		return
	}
	a.clock.Witness(c.Time)
	if a.merge(c) {
		a.log.Debug("claim", "pass", c.Pass, "station", c.Station)
	}
}

// Serve reads claims until ctx is done; each packet is handled on a
// goroutine of its own.
func (a *Agent) Serve(ctx context.Context, pc net.PacketConn) error {
	stop := context.AfterFunc(ctx, func() { _ = pc.Close() })
	defer stop()
	var wg sync.WaitGroup
	defer wg.Wait()
	for {
		buf := make([]byte, 1500)
		n, from, err := pc.ReadFrom(buf)
		if err != nil {
			if ctx.Err() != nil {
				return nil
			}
			return err
		}
		wg.Go(func() { a.handle(buf[:n], from) })
	}
}
