package locks

import "sync"

var (
	quotaMu sync.Mutex
	quota   = 100
	owners  = map[string]*rate{}
)

// Halve works on a package variable.
func Halve() {
	quotaMu.Lock()
	q := quota
	quotaMu.Unlock()
	q /= 2
	quotaMu.Lock()
	quota = q // want `lost-update: quota was read at line \d+, but quotaMu was released at line \d+ and an update by another goroutine is lost by this write`
	quotaMu.Unlock()
}

func HalveAtOnce() {
	quotaMu.Lock()
	quota /= 2
	quotaMu.Unlock()
}

// Own registers an owner.
func Own(name string, r *rate) bool {
	quotaMu.Lock()
	_, taken := owners[name]
	quotaMu.Unlock()
	if taken {
		return false
	}
	quotaMu.Lock()
	defer quotaMu.Unlock()
	owners[name] = r // want `check-then-act: owners\[name\] was checked at line \d+, but quotaMu was released at line \d+`
	return true
}

func OwnAtOnce(name string, r *rate) bool {
	quotaMu.Lock()
	defer quotaMu.Unlock()
	if _, taken := owners[name]; taken {
		return false
	}
	owners[name] = r
	return true
}

func Disown(name string) {
	quotaMu.Lock()
	defer quotaMu.Unlock()
	delete(owners, name)
}
