// Package k9 has the constellation of the K9 rover of "High-level data races" (view
// consistency, Table III): six fields, two threads, three methods.
//
// Benign: Rover.Reset has all six counters in one section, only to lock once instead of
// six times. Rover.Drive and Rover.Look, of the other thread, have some of them each,
// {wheels, path, power} and {camera, images, power}, which is a conflict by the
// definition. But each counter stands for itself; no one relies on any two of them
// being from the same moment.
package k9

import "sync"

type Rover struct {
	mu                     sync.Mutex
	wheels, path, power    int
	camera, images, errors int
}

func (r *Rover) Reset() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.wheels = 0
	r.path = 0
	r.power = 0
	r.camera = 0
	r.images = 0
	r.errors = 0
}

func (r *Rover) Drive(way int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.wheels++
	r.path += way
	r.power++
}

func (r *Rover) Look() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.camera++
	r.images++
	r.power++
}

func Run() {
	r := &Rover{}
	var wg sync.WaitGroup
	wg.Go(func() {
		for i := range 10 {
			r.Drive(i)
			r.Look()
		}
	})
	wg.Go(func() {
		for range 3 {
			r.Reset()
		}
	})
	wg.Wait()
}
