package early

import "sync"

// Gather says that it is done before the result is there.
func Gather(names []string, ask func(string) (int, error)) (map[string]int, []error) {
	var wg sync.WaitGroup
	var mu sync.Mutex
	found := make(map[string]int)
	var failed []error
	for _, name := range names {
		wg.Add(1)
		go func() {
			n, err := ask(name)
			wg.Done()
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				failed = append(failed, err) // want `early-signal: failed is written here, after wg is told that this is done`
				return
			}
			found[name] = n
		}()
	}
	wg.Wait()
	mu.Lock()
	defer mu.Unlock()
	return found, failed
}

// GatherFirst says so last.
func GatherFirst(names []string, ask func(string) int) map[string]int {
	var wg sync.WaitGroup
	var mu sync.Mutex
	found := make(map[string]int)
	for _, name := range names {
		wg.Add(1)
		go func() {
			defer wg.Done()
			n := ask(name)
			mu.Lock()
			defer mu.Unlock()
			found[name] = n
		}()
	}
	wg.Wait()
	mu.Lock()
	defer mu.Unlock()
	return found
}
