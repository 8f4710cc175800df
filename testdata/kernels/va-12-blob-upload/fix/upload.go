package blob

import (
	"crypto/sha256"
	"encoding/hex"
	"sync"
)

type Uploader struct {
	to Store
}

func NewUploader(to Store) *Uploader { return &Uploader{to: to} }

func (u *Uploader) Upload(data []byte) (digest string, fresh bool) {
	sum := sha256.Sum256(data)
	digest = hex.EncodeToString(sum[:])
	_, fresh = u.to.PutIfAbsent(digest, data)
	return digest, fresh
}

func (u *Uploader) UploadAll(parts [][]byte) []string {
	ids := make([]string, len(parts))
	var wg sync.WaitGroup
	for i, p := range parts {
		wg.Add(1)
		go func() {
			defer wg.Done()
			ids[i], _ = u.Upload(p)
		}()
	}
	wg.Wait()
	return ids
}
