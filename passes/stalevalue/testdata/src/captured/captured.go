// Package captured has local variables that goroutines share.
package captured

import (
	"sync"
	"sync/atomic"
)

func fetch(u string) []string { return []string{u + "/a", u + "/b"} }

// Crawl looks and marks in two sections.
func Crawl(urls []string, fetch func(string) []string) int {
	var mu sync.Mutex
	var wg sync.WaitGroup
	seen := make(map[string]int)
	for _, u := range urls {
		wg.Add(1)
		go func() {
			defer wg.Done()
			mu.Lock()
			_, again := seen[u]
			mu.Unlock()
			if again {
				return
			}
			links := fetch(u)
			mu.Lock()
			seen[u] = len(links) // want `check-then-act: seen\[u\] was checked`
			mu.Unlock()
		}()
	}
	wg.Wait()
	return len(seen)
}

// CrawlOnce looks and marks in one.
func CrawlOnce(urls []string) int {
	var mu sync.Mutex
	var wg sync.WaitGroup
	seen := make(map[string]int)
	for _, u := range urls {
		wg.Go(func() {
			mu.Lock()
			if _, again := seen[u]; again {
				mu.Unlock()
				return
			}
			seen[u] = -1
			mu.Unlock()
			links := fetch(u)
			mu.Lock()
			seen[u] = len(links)
			mu.Unlock()
		})
	}
	wg.Wait()
	return len(seen)
}

// Sum loses updates.
func Sum(urls []string) int {
	var mu sync.Mutex
	var wg sync.WaitGroup
	sum := 0
	for _, u := range urls {
		wg.Go(func() {
			mu.Lock()
			n := sum
			mu.Unlock()
			n += len(fetch(u))
			mu.Lock()
			sum = n // want `lost-update: sum was read`
			mu.Unlock()
		})
	}
	wg.Wait()
	return sum
}

// SumRight adds.
func SumRight(urls []string) int {
	var mu sync.Mutex
	var wg sync.WaitGroup
	sum := 0
	for _, u := range urls {
		wg.Go(func() {
			n := len(fetch(u))
			mu.Lock()
			sum += n
			mu.Unlock()
		})
	}
	wg.Wait()
	return sum
}

// Each has a sum for each goroutine.
func Each(urls []string) []int {
	var wg sync.WaitGroup
	out := make([]int, len(urls))
	for i, u := range urls {
		var mu sync.Mutex
		sum := 0
		wg.Go(func() {
			mu.Lock()
			n := sum
			mu.Unlock()
			n += len(fetch(u))
			mu.Lock()
			sum = n
			mu.Unlock()
		})
		out[i] = 1
	}
	wg.Wait()
	return out
}

// Once starts one goroutine, and nobody else writes.
func Once(u string, done func(int)) func() int {
	var mu sync.Mutex
	sum := 0
	go func() {
		mu.Lock()
		n := sum
		mu.Unlock()
		n += len(fetch(u))
		mu.Lock()
		sum = n
		mu.Unlock()
		done(n)
	}()
	return func() int {
		mu.Lock()
		defer mu.Unlock()
		return sum
	}
}

// Two starts two that write.
func Two(u string, done func(int)) {
	var mu sync.Mutex
	sum := 0
	go func() {
		mu.Lock()
		n := sum
		mu.Unlock()
		n += len(fetch(u))
		mu.Lock()
		sum = n // want `lost-update: sum was read`
		mu.Unlock()
		done(n)
	}()
	go func() {
		mu.Lock()
		sum++
		mu.Unlock()
	}()
}

// Limit has a flag that all set to the same.
func Limit(urls []string) bool {
	var mu sync.Mutex
	var wg sync.WaitGroup
	failed := false
	for _, u := range urls {
		wg.Go(func() {
			mu.Lock()
			stop := failed
			mu.Unlock()
			if stop {
				return
			}
			if len(fetch(u)) == 0 {
				mu.Lock()
				failed = true
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	return failed
}

// Best keeps the largest, and First the first error, with a second look.
func Best(urls []string) (best int, first string) {
	var mu sync.Mutex
	var wg sync.WaitGroup
	for _, u := range urls {
		wg.Go(func() {
			n := len(fetch(u))
			mu.Lock()
			worse := n <= best
			mu.Unlock()
			if worse {
				return
			}
			mu.Lock()
			if n > best {
				best = n
				first = u
			}
			mu.Unlock()
		})
	}
	wg.Wait()
	return best, first
}

// Slots takes a slot that another may have taken.
func Slots(urls []string) int32 {
	var free atomic.Int32
	var wg sync.WaitGroup
	free.Store(4)
	for _, u := range urls {
		wg.Go(func() {
			if n := free.Load(); n > 0 {
				fetch(u)
				free.Store(n - 1) // want `lost-update: free was read`
			}
		})
	}
	wg.Wait()
	return free.Load()
}

// After writes when all goroutines have ended.
func After(urls []string) map[string]int {
	var mu sync.Mutex
	var wg sync.WaitGroup
	seen := make(map[string]int)
	for _, u := range urls {
		wg.Go(func() {
			mu.Lock()
			seen[u]++
			mu.Unlock()
		})
	}
	wg.Wait()
	if seen["sum"] == 0 {
		seen["sum"] = len(seen)
	}
	return seen
}

// Handler counts by name, in a literal that is kept.
func Handler(next func(string)) func(string) {
	var mu sync.Mutex
	last := map[string]int{}
	return func(name string) {
		mu.Lock()
		n := last[name]
		mu.Unlock()
		next(name)
		mu.Lock()
		last[name] = n + 1 // want `lost-update: last\[name\] was read`
		mu.Unlock()
	}
}

// Total is read by a literal that the goroutines call.
func Total(urls []string) int {
	var (
		mu    sync.Mutex
		total int
		wg    sync.WaitGroup
	)
	soFar := func() int {
		mu.Lock()
		defer mu.Unlock()
		return total
	}
	for _, u := range urls {
		wg.Go(func() {
			n := soFar() + len(fetch(u))
			mu.Lock()
			total = n // want `lost-update: total was read`
			mu.Unlock()
		})
	}
	wg.Wait()
	return total
}

// TotalAdded adds to what is there.
func TotalAdded(urls []string) int {
	var (
		mu    sync.Mutex
		total int
		wg    sync.WaitGroup
	)
	add := func(n int) {
		mu.Lock()
		defer mu.Unlock()
		total += n
	}
	for _, u := range urls {
		wg.Go(func() {
			n := len(fetch(u))
			mu.Lock()
			print(total)
			mu.Unlock()
			add(n)
		})
	}
	wg.Wait()
	return total
}
