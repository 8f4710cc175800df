package cache

import (
	"fmt"
	"reflect"
	"sync"
	"time"
)

// Copier is an object that can be copied.
type Copier interface {
	DeepCopyObject() any
}

// defaultCacheMutationDetector gives a way to detect if a cached object has been mutated
// It has a list of cached objects and their copies.  I haven't thought of a way
// to see WHO is mutating it, just that it's getting mutated.
type defaultCacheMutationDetector struct {
	name   string
	period time.Duration

	// compareLock ensures only a single call to CompareObjects runs at a time
	compareObjectsLock sync.Mutex

	// addLock guards addedObjs between AddObject and CompareObjects
	addedObjsLock sync.Mutex
	addedObjs     []cacheObj

	cachedObjs []cacheObj

	retainDuration     time.Duration
	lastRotated        time.Time
	retainedCachedObjs []cacheObj

	// failureFunc is injectable for unit testing.  If you don't have it, the process will panic.
	failureFunc func(message string)
}

// cacheObj holds the actual object and a copy
type cacheObj struct {
	cached any
	copied any
}

func newDetector(name string, failureFunc func(string)) *defaultCacheMutationDetector {
	return &defaultCacheMutationDetector{
		name:           name,
		period:         1 * time.Second,
		retainDuration: 2 * time.Minute,
		failureFunc:    failureFunc,
	}
}

// Run is called once, in a goroutine of its own.
func (d *defaultCacheMutationDetector) Run(stopCh <-chan struct{}) {
	// we DON'T want protection from panics.  If we're running this code, we want to die
	for {
		d.rotate()

		d.CompareObjects()

		select {
		case <-stopCh:
			return
		case <-time.After(d.period):
		}
	}
}

func (d *defaultCacheMutationDetector) rotate() {
	d.compareObjectsLock.Lock()
	defer d.compareObjectsLock.Unlock()
	if d.lastRotated.IsZero() {
		d.lastRotated = time.Now()
	} else if time.Since(d.lastRotated) > d.retainDuration {
		d.retainedCachedObjs = d.cachedObjs
		d.cachedObjs = nil
		d.lastRotated = time.Now()
	}
}

// AddObject makes a deep copy of the object for later comparison. It is called
// by the goroutines of the informers.
func (d *defaultCacheMutationDetector) AddObject(obj Copier) {
	copiedObj := obj.DeepCopyObject()

	d.addedObjsLock.Lock()
	defer d.addedObjsLock.Unlock()
	d.addedObjs = append(d.addedObjs, cacheObj{cached: obj, copied: copiedObj})
}

// CompareObjects compares all objects with their copies. It is called by Run
// and by tests.
func (d *defaultCacheMutationDetector) CompareObjects() {
	d.compareObjectsLock.Lock()
	defer d.compareObjectsLock.Unlock()

	// move addedObjs into cachedObjs under lock
	// this keeps the critical section small to avoid blocking AddObject while we compare cachedObjs
	d.addedObjsLock.Lock()
	d.cachedObjs = append(d.cachedObjs, d.addedObjs...)
	d.addedObjs = nil
	d.addedObjsLock.Unlock()

	altered := false
	for i, obj := range d.cachedObjs {
		if !reflect.DeepEqual(obj.cached, obj.copied) {
			fmt.Printf("CACHE %s[%d] ALTERED!\n", d.name, i)
			altered = true
		}
	}
	for i, obj := range d.retainedCachedObjs {
		if !reflect.DeepEqual(obj.cached, obj.copied) {
			fmt.Printf("CACHE %s[%d] ALTERED!\n", d.name, i)
			altered = true
		}
	}

	if altered {
		msg := fmt.Sprintf("cache %s modified", d.name)
		if d.failureFunc != nil {
			d.failureFunc(msg)
			return
		}
		panic(msg)
	}
}
