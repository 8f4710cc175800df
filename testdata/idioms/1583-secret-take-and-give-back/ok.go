package a

import (
	"context"
	"log/slog"
	"sync"
	"time"
)

type Revoker interface {
	Revoke(ctx context.Context, lease string) error
}

type Issuer interface {
	Issue(ctx context.Context, role string) (lease, secret string, err error)
}

// Janitor rotates secrets and gives the leases of the old ones back.
type Janitor struct {
	iss Issuer
	rev Revoker
	log *slog.Logger

	mu      sync.Mutex
	leases  map[string]string // role -> lease in use
	secrets map[string]string
	expired []string
}

func NewJanitor(i Issuer, r Revoker, log *slog.Logger) *Janitor {
	return &Janitor{iss: i, rev: r, log: log, leases: map[string]string{}, secrets: map[string]string{}}
}

func (j *Janitor) Secret(role string) string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.secrets[role]
}

// Rotate may be called at any time, by the timer or by an operator.
func (j *Janitor) Rotate(ctx context.Context, role string) error {
	lease, secret, err := j.iss.Issue(ctx, role)
	if err != nil {
		return err
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if old, ok := j.leases[role]; ok {
		j.expired = append(j.expired, old)
	}
	j.leases[role], j.secrets[role] = lease, secret
	return nil
}

func (j *Janitor) take() []string {
	j.mu.Lock()
	defer j.mu.Unlock()
	batch := j.expired
	j.expired = nil
	return batch
}

func (j *Janitor) giveBack(leases []string) {
	if len(leases) == 0 {
		return
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.expired = append(leases, j.expired...)
}

// Flush revokes what has expired and returns how many leases went.
func (j *Janitor) Flush(ctx context.Context) int {
	batch := j.take()
	var failed []string
	for _, l := range batch {
		if err := j.rev.Revoke(ctx, l); err != nil {
			j.log.Warn("revoke", "lease", l, "err", err)
			failed = append(failed, l)
		}
	}
	j.giveBack(failed)
	return len(batch) - len(failed)
}

func (j *Janitor) Run(ctx context.Context, every time.Duration) {
	t := time.NewTicker(every)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			last, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
			j.Flush(last)
			cancel()
			return
		case <-t.C:
			j.Flush(ctx)
		}
	}
}
