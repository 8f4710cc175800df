package plugin

import (
	"fmt"
	"sync"
)

func Activate(name string) error {
	switch s := stateOf(name); s {
	case Unknown:
		return fmt.Errorf("plugin: %q not registered", name)
	case Running:
		return nil
	case Idle, Failed:
	}

	e := setState(name, Running)
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
