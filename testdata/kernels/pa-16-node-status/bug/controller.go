package nodestatus

import (
	"context"
	"log/slog"
	"time"
)

const unreachableTaint = "node.kubernetes.io/unreachable"

// TaintController taints nodes that are silent.
type TaintController struct {
	Status *StatusManager
	Grace  time.Duration
}

// Run works until ctx is done.
func (c *TaintController) Run(ctx context.Context, every time.Duration) {
	t := time.NewTicker(every)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-t.C:
			c.sweep(now)
		}
	}
}

func (c *TaintController) sweep(now time.Time) {
	c.Status.nodes.Range(func(k, _ any) bool {
		err := c.Status.mutate(k.(string), func(s *Status) {
			if now.Sub(s.Heartbeat) > c.Grace {
				s.Taints[unreachableTaint] = NoExecute
			} else {
				delete(s.Taints, unreachableTaint)
			}
		})
		if err != nil {
			slog.Debug("taint controller", "node", k, "err", err)
		}
		return true
	})
}
