package a

import (
	"context"
	"errors"
	"sync"
	"time"
)

const (
	NoHealthcheck = "none"
	Starting      = "starting"
	Healthy       = "healthy"
	Unhealthy     = "unhealthy"

	maxLogEntries = 5
)

var errRunning = errors.New("container is already running")

// Result is the outcome of one probe.
type Result struct {
	Start, End time.Time
	ExitCode   int
	Output     string
}

// probe runs a health command inside a container.
type probe interface {
	run(ctx context.Context, containerID string) *Result
}

// Health is the health of the present run of a container. It is guarded by the
// mutex of the container.
type Health struct {
	status        string
	failingStreak int
	log           []*Result
	stop          chan struct{}
}

// openMonitor returns the channel that ends the monitor.
func (h *Health) openMonitor() chan struct{} {
	h.stop = make(chan struct{})
	return h.stop
}

// closeMonitor ends the monitor, if there is one.
func (h *Health) closeMonitor() {
	if h.stop != nil {
		close(h.stop)
		h.stop = nil
	}
}

// record takes the result of a probe into the log and the status.
func (h *Health) record(r *Result, retries int) {
	if len(h.log) >= maxLogEntries {
		h.log = append(h.log[1:len(h.log):len(h.log)], r)
	} else {
		h.log = append(h.log, r)
	}
	if r.ExitCode == 0 {
		h.failingStreak = 0
		h.status = Healthy
		return
	}
	h.failingStreak++
	if h.failingStreak >= retries {
		h.status = Unhealthy
	}
}

type Container struct {
	ID       string
	Interval time.Duration
	Timeout  time.Duration
	Retries  int

	mu      sync.Mutex
	running bool
	health  Health
}

// HealthStatus is what inspect shows, with the length of the failing streak.
func (c *Container) HealthStatus() (string, int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.health.status == "" {
		return NoHealthcheck, 0
	}
	return c.health.status, c.health.failingStreak
}

type Daemon struct {
	prober probe
}

func NewDaemon(p probe) *Daemon { return &Daemon{prober: p} }

// Start begins a run of the container, whose health is not known yet.
func (d *Daemon) Start(c *Container) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.running {
		return errRunning
	}
	c.running = true
	c.health.status = Starting
	c.health.failingStreak = 0
	c.health.log = nil
	go d.monitor(c, c.health.openMonitor())
	return nil
}

// Stop ends the run. Its health no longer changes.
func (d *Daemon) Stop(c *Container) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.running {
		return
	}
	c.running = false
	c.health.closeMonitor()
	c.health.status = Unhealthy
}

// monitor probes the container until stop is closed.
func (d *Daemon) monitor(c *Container, stop chan struct{}) {
	tick := time.NewTicker(c.Interval)
	defer tick.Stop()
	for {
		select {
		case <-stop:
			return
		case <-tick.C:
		}
		ctx, cancel := context.WithTimeout(context.Background(), c.Timeout)
		results := make(chan *Result, 1)
		go func() { results <- d.prober.run(ctx, c.ID) }()
		select {
		case <-stop:
			cancel()
			<-results
			return
		case r := <-results:
			cancel()
			d.handleProbeResult(c, r, stop)
		}
	}
}

// handleProbeResult updates the health of the run the probe belongs to.
func (d *Daemon) handleProbeResult(c *Container, r *Result, done <-chan struct{}) {
	if len(r.Output) > 4096 {
		r.Output = r.Output[:4096]
	}
	select {
	case <-done:
		return
	default:
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.health.record(r, max(c.Retries, 1))
}
