package media

const (
	iccMark = "ICC_PROFILE\x00"

	// iccHead is the length of the mark, the number of the segment and the number of segments.
	iccHead = len(iccMark) + 2

	// iccSegment is the maximum number of bytes of a profile in one segment.
	iccSegment = 1<<16 - 1 - 2 - iccHead
)

// jpegProfile collects the segments of a colour profile.
type jpegProfile struct {
	data     []byte
	segments byte // the number of segments in data
	ended    bool // the profile was written or dropped
}

// icc collects the segments of a colour profile. After the last one, it writes the profile with a neutral name and
// without other text. It drops a profile that is broken or too large, every profile but the first, and other APP2
// segments, which can contain additional pictures.
func (j *jpegCleaner) icc(n int64) error {
	p := &j.profile
	if n < int64(iccHead) || p.ended {
		return j.r.skip(n)
	}
	head, err := j.r.Peek(iccHead)
	if err != nil {
		return err
	}
	if string(head[:len(iccMark)]) != iccMark {
		return j.r.skip(n)
	}
	number, count := head[len(iccMark)], head[len(iccMark)+1]
	if number != p.segments+1 || number > count || int64(len(p.data))+n > profileLimit {
		*p = jpegProfile{ended: true}
		return j.r.skip(n)
	}
	body, err := j.r.head(n, n)
	if err != nil {
		return err
	}
	p.data, p.segments = append(p.data, body[iccHead:]...), number
	if number == count {
		j.putProfile(cleanProfile(p.data))
		*p = jpegProfile{ended: true}
	}
	return nil
}

// putProfile writes a colour profile in as many segments as it needs.
func (j *jpegCleaner) putProfile(profile []byte) {
	count := (len(profile) + iccSegment - 1) / iccSegment
	for number := 1; number <= count; number++ {
		part := profile[:min(len(profile), iccSegment)]
		profile = profile[len(part):]
		n := len(part) + iccHead + 2
		j.w.put(0xff, jpegICC, byte(n>>8), byte(n))
		j.w.put([]byte(iccMark)...)
		j.w.put(byte(number), byte(count))
		j.w.put(part...)
	}
}
