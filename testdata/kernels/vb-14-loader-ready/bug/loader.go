package loader

import (
	"context"
	"encoding/json"
	"io"
	"sync"
)

type Config struct {
	Region string
	Limits map[string]int
}

// Loader reads the configuration in the background.
type Loader struct {
	ready chan struct{}

	mu  sync.Mutex
	cfg *Config
	err error
}

// Start begins to read the configuration from what open returns.
func Start(open func() (io.ReadCloser, error)) *Loader {
	l := &Loader{ready: make(chan struct{})}
	go l.load(open)
	return l
}

func (l *Loader) load(open func() (io.ReadCloser, error)) {
	var cfg Config
	err := decode(open, &cfg)
	close(l.ready)
	l.mu.Lock()
	defer l.mu.Unlock()
	if err != nil {
		l.err = err
		return
	}
	l.cfg = &cfg
}

func decode(open func() (io.ReadCloser, error), into *Config) error {
	rc, err := open()
	if err != nil {
		return err
	}
	defer rc.Close()
	return json.NewDecoder(rc).Decode(into)
}

// Config waits for the configuration.
func (l *Loader) Config(ctx context.Context) (*Config, error) {
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-l.ready:
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.cfg, l.err
}

// Limit returns the limit configured for name, or def.
func (l *Loader) Limit(ctx context.Context, name string, def int) (int, error) {
	cfg, err := l.Config(ctx)
	if err != nil {
		return 0, err
	}
	if n, ok := cfg.Limits[name]; ok {
		return n, nil
	}
	return def, nil
}
