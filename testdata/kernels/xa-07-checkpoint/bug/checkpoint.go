package follower

import (
	"context"
	"encoding/json"
	"log"
	"os"
	"sync"
	"time"
)

// Position is where a follower resumes after a restart: it asks the leader for
// the entries from Offset on, and is not asked to rebase if the leader is still
// the one of Epoch.
type Position struct {
	Offset int64  `json:"offset"`
	Epoch  uint64 `json:"epoch"`
}

// Checkpointer keeps the position of a follower in a file.
type Checkpointer struct {
	f    *Follower
	path string

	mu    sync.Mutex // held while the file is replaced
	saved Position
}

// NewCheckpointer returns a Checkpointer that writes to path.
func NewCheckpointer(f *Follower, path string) *Checkpointer {
	return &Checkpointer{f: f, path: path}
}

// Save writes the current position if it differs from the one on disk.
func (c *Checkpointer) Save() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	pos := Position{Offset: c.f.Offset(), Epoch: c.f.Epoch()}
	if pos == c.saved {
		return nil
	}
	data, err := json.Marshal(pos)
	if err != nil {
		return err
	}
	tmp := c.path + ".tmp"
	if err := os.WriteFile(tmp, data, 0o644); err != nil {
		return err
	}
	if err := os.Rename(tmp, c.path); err != nil {
		return err
	}
	c.saved = pos
	return nil
}

// Run saves the position from time to time until ctx ends, and then once more.
func (c *Checkpointer) Run(ctx context.Context, every time.Duration) error {
	t := time.NewTicker(every)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return c.Save()
		case <-t.C:
			if err := c.Save(); err != nil {
				log.Printf("checkpoint %s: %v", c.path, err)
			}
		}
	}
}

// Load reads the position in path.
func Load(path string) (Position, error) {
	var pos Position
	data, err := os.ReadFile(path)
	if err != nil {
		return pos, err
	}
	err = json.Unmarshal(data, &pos)
	return pos, err
}
