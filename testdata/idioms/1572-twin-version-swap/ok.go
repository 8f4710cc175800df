package a

import (
	"context"
	"errors"
	"maps"
	"sync"
)

var (
	ErrNoTwin   = errors.New("twin: no such device")
	errConflict = errors.New("twin: version conflict")
)

type Twin struct {
	Version uint64
	Props   map[string]string
}

type Twins struct {
	mu   sync.RWMutex
	last uint64
	byID map[string]Twin
}

func NewTwins() *Twins { return &Twins{byID: make(map[string]Twin)} }

func (t *Twins) Create(id string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if _, ok := t.byID[id]; !ok {
		t.last++
		t.byID[id] = Twin{Version: t.last, Props: map[string]string{}}
	}
}

func (t *Twins) Remove(id string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.byID, id)
}

func (t *Twins) Get(id string) (Twin, error) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	tw, ok := t.byID[id]
	if !ok {
		return Twin{}, ErrNoTwin
	}
	tw.Props = maps.Clone(tw.Props)
	return tw, nil
}

// put stores tw if the twin still has the version tw was made from.
func (t *Twins) put(id string, tw Twin) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	cur, ok := t.byID[id]
	if !ok {
		return ErrNoTwin
	}
	if cur.Version != tw.Version {
		return errConflict
	}
	t.last++
	tw.Version = t.last
	t.byID[id] = tw
	return nil
}

// Update applies fn to the twin; fn may be called several times.
func (t *Twins) Update(ctx context.Context, id string, fn func(props map[string]string) error) error {
	for {
		tw, err := t.Get(id)
		if err != nil {
			return err
		}
		if err := fn(tw.Props); err != nil {
			return err
		}
		err = t.put(id, tw)
		if !errors.Is(err, errConflict) {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
}

// OnReport is called by the MQTT bridge, one goroutine per device connection.
func (t *Twins) OnReport(ctx context.Context, id string, report map[string]string) error {
	return t.Update(ctx, id, func(props map[string]string) error {
		maps.Copy(props, report)
		return nil
	})
}
