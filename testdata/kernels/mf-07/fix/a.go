// Package a keeps the configuration documents of buckets in memory.
package a

import (
	"errors"
	"sync"
	"time"
)

var (
	ErrBucketNotFound = errors.New("bucket not found")
	ErrUnknownConfig  = errors.New("unknown configuration file")
)

// Names of the configuration documents.
const (
	policyConfig     = "policy.json"
	lifecycleConfig  = "lifecycle.xml"
	taggingConfig    = "tagging.xml"
	versioningConfig = "versioning.xml"
)

// BucketMetadata has all documents of one bucket. The byte slices are
// replaced as a whole.
type BucketMetadata struct {
	Name       string
	Created    time.Time
	Policy     []byte
	Lifecycle  []byte
	Tagging    []byte
	Versioning []byte
}

// BucketMetadataSys is the in-memory view of all bucket metadata.
type BucketMetadataSys struct {
	mu          sync.RWMutex
	metadataMap map[string]BucketMetadata
}

func NewBucketMetadataSys() *BucketMetadataSys {
	return &BucketMetadataSys{metadataMap: make(map[string]BucketMetadata)}
}

// MakeBucket adds a bucket without any configuration.
func (sys *BucketMetadataSys) MakeBucket(bucket string) {
	sys.mu.Lock()
	defer sys.mu.Unlock()
	if _, ok := sys.metadataMap[bucket]; ok {
		return
	}
	sys.metadataMap[bucket] = BucketMetadata{Name: bucket, Created: time.Now()}
}

// Get returns the metadata of a bucket.
func (sys *BucketMetadataSys) Get(bucket string) (BucketMetadata, error) {
	sys.mu.RLock()
	defer sys.mu.RUnlock()
	meta, ok := sys.metadataMap[bucket]
	if !ok {
		return BucketMetadata{}, ErrBucketNotFound
	}
	return meta, nil
}

// Update replaces one configuration document of a bucket.
func (sys *BucketMetadataSys) Update(bucket, configFile string, data []byte) error {
	sys.mu.Lock()
	defer sys.mu.Unlock()
	meta, ok := sys.metadataMap[bucket]
	if !ok {
		return ErrBucketNotFound
	}
	switch configFile {
	case policyConfig:
		meta.Policy = data
	case lifecycleConfig:
		meta.Lifecycle = data
	case taggingConfig:
		meta.Tagging = data
	case versioningConfig:
		meta.Versioning = data
	default:
		return ErrUnknownConfig
	}
	sys.metadataMap[bucket] = meta
	return nil
}

// PutPolicy is the handler of PutBucketPolicy.
func (sys *BucketMetadataSys) PutPolicy(bucket string, doc []byte) error {
	return sys.Update(bucket, policyConfig, doc)
}

// PutLifecycle is the handler of PutBucketLifecycle.
func (sys *BucketMetadataSys) PutLifecycle(bucket string, doc []byte) error {
	return sys.Update(bucket, lifecycleConfig, doc)
}

// PutTagging is the handler of PutBucketTagging.
func (sys *BucketMetadataSys) PutTagging(bucket string, doc []byte) error {
	return sys.Update(bucket, taggingConfig, doc)
}
