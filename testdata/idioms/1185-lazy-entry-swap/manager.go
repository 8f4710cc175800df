package synctrack

import (
	"sort"
	"sync"
)

// ConfigurationManager collects the webhook configurations so that they can be
// called.
type ConfigurationManager struct {
	mu             sync.RWMutex
	configurations map[string]string
	lazy           Lazy[[]string]
}

// NewConfigurationManager returns a manager without configurations.
func NewConfigurationManager() *ConfigurationManager {
	m := &ConfigurationManager{configurations: make(map[string]string)}
	m.lazy.Evaluate = m.getConfiguration
	return m
}

// OnAdd is called by the informer.
func (m *ConfigurationManager) OnAdd(name, hook string) {
	m.mu.Lock()
	m.configurations[name] = hook
	m.mu.Unlock()
	m.lazy.Notify()
}

// OnDelete is called by the informer.
func (m *ConfigurationManager) OnDelete(name string) {
	m.mu.Lock()
	delete(m.configurations, name)
	m.mu.Unlock()
	m.lazy.Notify()
}

// Webhooks returns the merged webhook configuration. It is called by request
// handlers.
func (m *ConfigurationManager) Webhooks() ([]string, error) {
	return m.lazy.Get()
}

func (m *ConfigurationManager) getConfiguration() ([]string, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	hooks := make([]string, 0, len(m.configurations))
	for _, hook := range m.configurations {
		hooks = append(hooks, hook)
	}
	sort.Strings(hooks)
	return hooks, nil
}
