// Package greenhouse holds the settings of a greenhouse controller and the
// HTTP interface growers change them with.
package greenhouse

import (
	"errors"
	"fmt"
	"maps"
	"sync"
)

// Zone is the climate wanted in one part of the house.
type Zone struct {
	MinTemp  float64 `json:"minTemp"`
	MaxTemp  float64 `json:"maxTemp"`
	Humidity int     `json:"humidity"`
}

// Config is the whole of the settings.
type Config struct {
	Name  string          `json:"name"`
	Zones map[string]Zone `json:"zones"`
}

// Clone returns a deep copy.
func (c Config) Clone() Config {
	c.Zones = maps.Clone(c.Zones)
	return c
}

// Validate checks the settings for sense.
func (c Config) Validate() error {
	if c.Name == "" {
		return errors.New("greenhouse: controller has no name")
	}
	for name, z := range c.Zones {
		if z.MinTemp > z.MaxTemp {
			return fmt.Errorf("greenhouse: zone %s: minimum above maximum", name)
		}
		if z.Humidity < 0 || z.Humidity > 100 {
			return fmt.Errorf("greenhouse: zone %s: humidity %d%%", name, z.Humidity)
		}
	}
	return nil
}

// Committer is told about settings that have come into force. It is called
// with the wrapper locked and must not call back.
type Committer interface {
	Commit(from, to Config)
}

// Wrapper is the settings in force, shared by the web interface and the
// control loops.
type Wrapper struct {
	save func(Config) error

	mu   sync.RWMutex
	cfg  Config
	subs []Committer
}

// Wrap puts cfg in force. save writes settings to the controller's flash.
func Wrap(cfg Config, save func(Config) error) (*Wrapper, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	return &Wrapper{save: save, cfg: cfg.Clone()}, nil
}

// Subscribe adds a committer for all settings to come.
func (w *Wrapper) Subscribe(c Committer) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.subs = append(w.subs, c)
}

// RawCopy returns a copy of the settings in force; the caller may change it.
func (w *Wrapper) RawCopy() Config {
	w.mu.RLock()
	defer w.mu.RUnlock()
	return w.cfg.Clone()
}

// Replace validates and saves the settings and puts them in force.
func (w *Wrapper) Replace(to Config) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.replaceLocked(to.Clone())
}

// Modify applies change to the settings in force. change is called with the
// wrapper locked and must not call back; if it fails nothing changes.
func (w *Wrapper) Modify(change func(*Config) error) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	to := w.cfg.Clone()
	if err := change(&to); err != nil {
		return err
	}
	return w.replaceLocked(to)
}

func (w *Wrapper) replaceLocked(to Config) error {
	if err := to.Validate(); err != nil {
		return err
	}
	if err := w.save(to); err != nil {
		return fmt.Errorf("greenhouse: save: %w", err)
	}
	from := w.cfg
	w.cfg = to
	for _, s := range w.subs {
		s.Commit(from.Clone(), to.Clone())
	}
	return nil
}

// Zone returns the climate wanted in one zone.
func (w *Wrapper) Zone(name string) (Zone, bool) {
	w.mu.RLock()
	defer w.mu.RUnlock()
	z, ok := w.cfg.Zones[name]
	return z, ok
}
