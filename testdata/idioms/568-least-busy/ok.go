// Package ok spreads block requests over devices.
package ok

import (
	"errors"
	"sync"
)

// ErrNoDevice says that nobody has the block.
var ErrNoDevice = errors.New("no connected device has the block")

// Availability is a device that has a block.
type Availability struct {
	Device  string
	FromTmp bool
}

// deviceActivity counts the outstanding requests per device, to prefer those
// with few of them.
type deviceActivity struct {
	mut sync.Mutex
	act map[string]int
}

func newDeviceActivity() *deviceActivity {
	return &deviceActivity{act: make(map[string]int)}
}

// leastBusy returns the index of the least busy device, or -1.
func (m *deviceActivity) leastBusy(availability []Availability) int {
	m.mut.Lock()
	defer m.mut.Unlock()
	low, best := 1<<30, -1
	for i, a := range availability {
		if usage := m.act[a.Device]; usage < low {
			low, best = usage, i
		}
	}
	return best
}

func (m *deviceActivity) using(a Availability) {
	m.mut.Lock()
	m.act[a.Device]++
	m.mut.Unlock()
}

func (m *deviceActivity) done(a Availability) {
	m.mut.Lock()
	defer m.mut.Unlock()
	if m.act[a.Device]--; m.act[a.Device] == 0 {
		delete(m.act, a.Device)
	}
}

// Puller requests blocks.
type Puller struct {
	activity *deviceActivity
	request  func(a Availability, block []byte) ([]byte, error)
}

// NewPuller returns a puller that asks devices with request.
func NewPuller(request func(Availability, []byte) ([]byte, error)) *Puller {
	return &Puller{activity: newDeviceActivity(), request: request}
}

// PullBlock gets a block from one of the candidates; the slice is ours.
func (p *Puller) PullBlock(hash []byte, candidates []Availability) ([]byte, error) {
	var lastErr error = ErrNoDevice
	for {
		// Select the least busy device to pull the block from.
		found := p.activity.leastBusy(candidates)
		if found == -1 {
			return nil, lastErr
		}
		selected := candidates[found]
		candidates[found] = candidates[len(candidates)-1]
		candidates = candidates[:len(candidates)-1]

		p.activity.using(selected)
		buf, err := p.request(selected, hash)
		p.activity.done(selected)
		if err == nil {
			return buf, nil
		}
		lastErr = err
	}
}
