// Package fix attaches disks to tasks on one machine.
package fix

import (
	"context"
	"fmt"
	"path/filepath"
	"sync"
	"time"
)

// Driver does the work on the device. All its operations may be repeated.
type Driver interface {
	Stage(ctx context.Context, disk, path string) error
	Unstage(ctx context.Context, disk, path string) error
	Bind(ctx context.Context, disk, from, to string) error
	Unbind(ctx context.Context, to string) error
}

// Usage tells how a task uses a disk.
type Usage struct {
	ReadOnly bool
	Mode     string
}

func (u Usage) dir() string {
	if u.ReadOnly {
		return "ro-" + u.Mode
	}
	return "rw-" + u.Mode
}

type claimKey struct {
	disk  string
	usage Usage
}

// claims counts the tasks that use a disk.
type claims struct {
	mu   sync.Mutex
	byID map[claimKey]map[string]struct{}
}

func newClaims() *claims {
	return &claims{byID: make(map[claimKey]map[string]struct{})}
}

// add notes that the task uses the disk.
func (c *claims) add(k claimKey, task string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	m := c.byID[k]
	if m == nil {
		m = make(map[string]struct{})
		c.byID[k] = m
	}
	m[task] = struct{}{}
}

// drop takes the note back; after the last one it calls unused.
func (c *claims) drop(k claimKey, task string, unused func() error) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	m := c.byID[k]
	delete(m, task)
	if len(m) > 0 {
		return nil
	}
	delete(c.byID, k)
	return unused()
}

// stagedSet remembers which disks are staged.
type stagedSet struct {
	mu    sync.Mutex
	paths map[string]bool
}

func (s *stagedSet) has(path string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.paths[path]
}

func (s *stagedSet) set(path string, v bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.paths[path] = v
}

// Event reports what was done.
type Event struct {
	At     time.Time
	What   string
	Disk   string
	Detail string
}

// Attacher attaches and detaches; every task has its own goroutine.
type Attacher struct {
	root   string
	drv    Driver
	claims *claims
	staged stagedSet
	events func(Event)
}

// NewAttacher returns an attacher.
func NewAttacher(root string, drv Driver, events func(Event)) *Attacher {
	return &Attacher{
		root:   root,
		drv:    drv,
		claims: newClaims(),
		staged: stagedSet{paths: make(map[string]bool)},
		events: events,
	}
}

func (a *Attacher) stagePath(disk string, u Usage) string {
	return filepath.Join(a.root, "stage", disk, u.dir())
}

func (a *Attacher) taskPath(disk, task string, u Usage) string {
	return filepath.Join(a.root, "task", task, disk, u.dir())
}

func (a *Attacher) stage(ctx context.Context, disk string, u Usage) error {
	path := a.stagePath(disk, u)
	if a.staged.has(path) {
		return nil
	}
	if err := a.drv.Stage(ctx, disk, path); err != nil {
		return fmt.Errorf("stage %s: %w", disk, err)
	}
	a.staged.set(path, true)
	return nil
}

func (a *Attacher) unstage(ctx context.Context, disk string, u Usage) error {
	path := a.stagePath(disk, u)
	if err := a.drv.Unstage(ctx, disk, path); err != nil {
		return fmt.Errorf("unstage %s: %w", disk, err)
	}
	a.staged.set(path, false)
	return nil
}

func (a *Attacher) bind(ctx context.Context, disk, task string, u Usage) (string, error) {
	to := a.taskPath(disk, task, u)
	if err := a.drv.Bind(ctx, disk, a.stagePath(disk, u), to); err != nil {
		return "", fmt.Errorf("bind %s: %w", disk, err)
	}
	return to, nil
}

// Attach makes the disk available to the task and returns where.
func (a *Attacher) Attach(ctx context.Context, disk, task string, u Usage) (path string, err error) {
	key := claimKey{disk, u}

	// The claim comes first; it keeps others from unstaging the disk.
	a.claims.add(key, task)

	err = a.stage(ctx, disk, u)
	if err == nil {
		path, err = a.bind(ctx, disk, task, u)
	}

	ev := Event{At: time.Now(), What: "attach", Disk: disk, Detail: "ok"}
	if err != nil {
		ev.Detail = err.Error()
		a.claims.drop(key, task, func() error { return a.unstage(ctx, disk, u) })
	}
	a.events(ev)
	return path, err
}

// Detach takes the disk away from the task; the last one unstages it.
func (a *Attacher) Detach(ctx context.Context, disk, task string, u Usage) error {
	key := claimKey{disk, u}
	err := a.drv.Unbind(ctx, a.taskPath(disk, task, u))
	if err == nil {
		err = a.claims.drop(key, task, func() error { return a.unstage(ctx, disk, u) })
	}

	ev := Event{At: time.Now(), What: "detach", Disk: disk, Detail: "ok"}
	if err != nil {
		ev.Detail = err.Error()
	}
	a.events(ev)
	return err
}
