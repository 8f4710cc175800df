// Package ok fetches blocks from the devices that have them.
package ok

import (
	"errors"
	"sync"
)

var errNoDevice = errors.New("no connected device has the required version")

// Availability names a device that has a block.
type Availability struct {
	ID        string
	Temporary bool
}

// deviceActivity tracks the number of outstanding requests per device.
type deviceActivity struct {
	mut sync.Mutex
	act map[string]int
}

func newDeviceActivity() *deviceActivity {
	return &deviceActivity{act: make(map[string]int)}
}

// leastBusy returns the index of the device with the fewest outstanding
// requests, -1 if there is none.
func (m *deviceActivity) leastBusy(availability []Availability) int {
	m.mut.Lock()
	defer m.mut.Unlock()
	low := 2<<30 - 1
	best := -1
	for i := range availability {
		if usage := m.act[availability[i].ID]; usage < low {
			low = usage
			best = i
		}
	}
	return best
}

func (m *deviceActivity) using(a Availability) {
	m.mut.Lock()
	defer m.mut.Unlock()
	m.act[a.ID]++
}

func (m *deviceActivity) done(a Availability) {
	m.mut.Lock()
	defer m.mut.Unlock()
	m.act[a.ID]--
}

// Model requests data from devices.
type Model interface {
	Availability(folder, file string, block int) []Availability
	Request(device, file string, offset int64, size int) ([]byte, error)
}

// puller pulls blocks with several goroutines.
type puller struct {
	model    Model
	folder   string
	activity *deviceActivity
	verify   func([]byte) error
}

func (p *puller) pullBlock(file string, block int, offset int64, size int) ([]byte, error) {
	lastError := errNoDevice
	candidates := p.model.Availability(p.folder, file, block)
	for {
		// Select the least busy device to pull the block from.
		found := p.activity.leastBusy(candidates)
		if found == -1 {
			return nil, lastError
		}
		selected := candidates[found]
		candidates[found] = candidates[len(candidates)-1]
		candidates = candidates[:len(candidates)-1]

		// Fetch the block, while marking the selected device as in use so that
		// leastBusy can select another device when someone else asks.
		p.activity.using(selected)
		buf, err := p.model.Request(selected.ID, file, offset, size)
		p.activity.done(selected)
		if err != nil {
			lastError = err
			continue
		}
		// Verify that the received block matches the desired hash.
		if lastError = p.verify(buf); lastError == nil {
			return buf, nil
		}
	}
}
