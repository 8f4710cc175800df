package rollout

import (
	"context"
	"log/slog"
	"sync"
	"time"
)

// Target is the firmware a device should run.
type Target struct {
	Version string
	URL     string
}

// Uplink sends targets to devices over MQTT. It returns the devices that could
// not be reached.
type Uplink interface {
	Send(ctx context.Context, batch map[string]Target) (unreached []string)
}

// Rollout collects targets from the operators' requests and sends them in
// batches.
type Rollout struct {
	uplink Uplink
	log    *slog.Logger

	mu      sync.Mutex
	pending map[string]Target

	kick chan struct{}
}

// Start runs the sender until ctx ends.
func Start(ctx context.Context, u Uplink, log *slog.Logger) *Rollout {
	r := &Rollout{
		uplink:  u,
		log:     log,
		pending: make(map[string]Target),
		kick:    make(chan struct{}, 1),
	}
	go r.loop(ctx)
	return r
}

// Assign is called by the API handlers.
func (r *Rollout) Assign(devices []string, t Target) {
	r.mu.Lock()
	for _, d := range devices {
		r.pending[d] = t
	}
	r.mu.Unlock()
	select {
	case r.kick <- struct{}{}:
	default:
	}
}

// Backlog is the number of waiting targets, shown on the dashboard.
func (r *Rollout) Backlog() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.pending)
}

func (r *Rollout) take() map[string]Target {
	r.mu.Lock()
	defer r.mu.Unlock()
	batch := r.pending
	r.pending = make(map[string]Target)
	return batch
}

// putBack returns unreached devices to the backlog. What was assigned in the
// meantime is newer and wins.
func (r *Rollout) putBack(batch map[string]Target, unreached []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, d := range unreached {
		if _, newer := r.pending[d]; !newer {
			r.pending[d] = batch[d]
		}
	}
}

func (r *Rollout) loop(ctx context.Context) {
	retry := time.NewTicker(time.Minute)
	defer retry.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-r.kick:
		case <-retry.C:
		}
		batch := r.take()
		if len(batch) == 0 {
			continue
		}
		unreached := r.uplink.Send(ctx, batch)
		r.putBack(batch, unreached)
		r.log.Info("batch sent", "devices", len(batch), "unreached", len(unreached))
	}
}
