package plugin

import (
	"fmt"
	"sync"
)

func Activate(name string) error {
	s, e := begin(name)
	switch s {
	case Unknown:
		return fmt.Errorf("plugin: %q not registered", name)
	case Running:
		return nil
	case Idle, Failed:
	}

	if err := e.start(); err != nil {
		setState(name, Failed)
		return fmt.Errorf("plugin: %q: %w", name, err)
	}
	return nil
}

func ActivateAll(names ...string) {
	var wg sync.WaitGroup
	for _, n := range names {
		wg.Go(func() { _ = Activate(n) })
	}
	wg.Wait()
}
